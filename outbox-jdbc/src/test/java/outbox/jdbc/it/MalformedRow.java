package outbox.jdbc.it;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A row as no writer of the library makes it, and its end.
 *
 * @param columns those that differ from a healthy row; values are literals of SQL
 * @param unlocked its end if nobody claims
 * @param leased its end with claim locking
 */
record MalformedRow(String id, Map<String, String> columns, End unlocked, End leased) {

    /**
     * Where a row ends.
     *
     * @param status its last status; null for the one it has always had
     * @param error a part of the error; null for any error or none
     * @param deliveries how often it was delivered
     * @param holdsKey whether later events of its aggregate wait for it, with order
     */
    record End(Integer status, String error, int deliveries, boolean holdsKey) {

        static final End DELIVERED = new End(1, null, 1, false);
        static final End LEFT_ALONE = new End(null, null, 0, false);
        static final End WAITS = new End(null, null, 0, true);

        static End dead(String error) {
            return new End(3, error, 0, false);
        }
    }

    static MalformedRow row(String id, End end, String... columnsAndValues) {
        return row(id, end, end, columnsAndValues);
    }

    static MalformedRow row(String id, End unlocked, End leased, String... columnsAndValues) {
        Map<String, String> columns = new LinkedHashMap<>();
        for (int i = 0; i < columnsAndValues.length; i += 2) {
            columns.put(columnsAndValues[i], columnsAndValues[i + 1]);
        }
        return new MalformedRow(id, columns, unlocked, leased);
    }
}
