package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;

/** Looks for an index by which the events of a key are found; without one each insert and each claim would read the whole table. */
final class KeyIndexCheck {

    private static final List<String> KEY = List.of("aggregate_type", "aggregate_id");

    private final TableName table;
    private final String script;

    KeyIndexCheck(TableName table, String script) {
        this.table = table;
        this.script = script;
    }

    /** Returns how many indexes the driver knows of; with none it probably cannot tell, and that is nobody's fault. */
    int run(Connection conn) throws SQLException {
        Map<String, List<String>> indexes = indexes(conn);
        boolean found = indexes.values().stream()
                .anyMatch(columns -> columns.size() >= KEY.size()
                        && columns.subList(0, KEY.size()).equals(KEY));
        if (!found && !indexes.isEmpty()) {
            throw new OutboxStoreException(
                    "Table \"" + table + "\" is missing an index that begins with " + KEY + ": apply " + script
                            + " from outbox-jdbc",
                    null);
        }
        return indexes.size();
    }

    private Map<String, List<String>> indexes(Connection conn) throws SQLException {
        DatabaseMetaData database = conn.getMetaData();
        Map<String, List<String>> indexes = new HashMap<>();
        try (ResultSet rows = database.getIndexInfo(
                catalog(conn), schema(conn, database), stored(database, table.table()), false, true)) {
            while (rows.next()) {
                String index = rows.getString("INDEX_NAME");
                String column = rows.getString("COLUMN_NAME");
                if (index != null && column != null) {
                    // In the order of their positions, as the driver must return them.
                    indexes.computeIfAbsent(index, any -> new ArrayList<>()).add(column.toLowerCase(Locale.ROOT));
                }
            }
        }
        return indexes;
    }

    /** What others call a schema is a catalog for MySQL and MariaDB, whose drivers know no schemas. */
    private @Nullable String catalog(Connection conn) throws SQLException {
        return conn.getSchema() == null && table.schema() != null ? table.schema() : conn.getCatalog();
    }

    private @Nullable String schema(Connection conn, DatabaseMetaData database) throws SQLException {
        if (conn.getSchema() == null || table.schema() == null) {
            return conn.getSchema();
        }
        return stored(database, table.schema());
    }

    private static String stored(DatabaseMetaData database, String name) throws SQLException {
        if (database.storesUpperCaseIdentifiers()) {
            return name.toUpperCase(Locale.ROOT);
        }
        return database.storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
    }
}
