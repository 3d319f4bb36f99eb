package outbox.jdbc.store;

import outbox.jdbc.TableName;

/**
 * How a dialect asks for the time of the database inside a statement, in UTC and as what the table's time columns are.
 *
 * @param now an SQL expression
 * @param nowPlusMicros the same with one parameter, microseconds that are added and may be negative
 */
record DatabaseTime(String now, String nowPlusMicros) {

    /** For columns without a time zone, which is all that MySQL and MariaDB have. */
    static final DatabaseTime MYSQL_FAMILY =
            new DatabaseTime("UTC_TIMESTAMP(6)", "(UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)");

    /** A cast would turn the time back into that of the session's zone. */
    private static final String H2_NOW =
            "DATEADD(MICROSECOND, DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00',"
                    + " CURRENT_TIMESTAMP(6) AT TIME ZONE 'UTC'), TIMESTAMP '1970-01-01 00:00:00')";

    /** For columns without a time zone. H2 tells a transaction the same time again and again, that of its first question. */
    static final DatabaseTime H2 = new DatabaseTime(H2_NOW, "DATEADD(MICROSECOND, ?, " + H2_NOW + ")");

    /**
     * For columns with or without a time zone: COALESCE makes the server read {@code 'epoch'} as what the column is. The time is that of
     * the statement, not of the transaction, which may have begun long ago.
     */
    static DatabaseTime postgres(TableName table) {
        String now = "(COALESCE((NULL::" + table
                + ").locked_at, 'epoch') + date_part('epoch', statement_timestamp()) * interval '1 second')";
        // As subqueries, which the server evaluates once for each statement instead of once for each row.
        return new DatabaseTime("(SELECT " + now + ")", "(SELECT " + now + " + ? * interval '1 microsecond')");
    }
}
