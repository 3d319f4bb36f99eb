package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TableName;

/** The indexes that a table really has. */
final class TableIndexes {

    private final TableName table;

    TableIndexes(TableName table) {
        this.table = table;
    }

    /**
     * What the driver knows of all.
     *
     * @param columns those of each index, by its name
     * @param keys the names of those that let no value come twice
     */
    record All(Map<String, List<String>> columns, Set<String> keys) {

        /** Whether the table itself lets no value of the column come twice. */
        boolean hasKey(String column) {
            return keys.stream().anyMatch(key -> List.of(column).equals(columns.get(key)));
        }

        /** Whether an index begins with the columns. A driver that knows of no index at all probably cannot tell, which is nobody's fault. */
        boolean mayHave(List<String> wanted) {
            return columns.isEmpty() || first(columns, wanted) != null;
        }
    }

    /** All that the driver knows of. */
    All all(Connection conn) throws SQLException {
        DatabaseMetaData database = conn.getMetaData();
        Map<String, List<String>> indexes = new HashMap<>();
        Set<String> keys = new HashSet<>();
        TablePlace place = TablePlace.of(conn, table);
        try (ResultSet rows = database.getIndexInfo(place.catalog(), place.schema(), place.table(), false, true)) {
            while (rows.next()) {
                String index = rows.getString("INDEX_NAME");
                String column = rows.getString("COLUMN_NAME");
                if (index != null && column != null) {
                    // In the order of their positions, as the driver must return them.
                    indexes.computeIfAbsent(index, any -> new ArrayList<>()).add(column.toLowerCase(Locale.ROOT));
                    if (!rows.getBoolean("NON_UNIQUE") && isOfAllRows(rows.getString("FILTER_CONDITION"))) {
                        keys.add(index);
                    }
                }
            }
        }
        return new All(indexes, keys);
    }

    private static boolean isOfAllRows(@Nullable String condition) {
        return condition == null || condition.isEmpty();
    }

    /** The name of an index that begins with the columns; null if there is none. */
    @Nullable
    String nameOf(Connection conn, List<String> columns) throws SQLException {
        return first(all(conn).columns, columns);
    }

    private static @Nullable String first(Map<String, List<String>> indexes, List<String> columns) {
        return indexes.entrySet().stream()
                .filter(index -> index.getValue().size() >= columns.size()
                        && index.getValue().subList(0, columns.size()).equals(columns))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }
}
