package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.testing.contract.JdbcStoreFixture;

/** A table into which somebody writes rows by hand, past every check of the library, and sometimes past those of the table. */
final class PlainRows {

    private static final String CHECKS =
            "(?:,\\s*(?:--[^\n]*\n\\s*)?CONSTRAINT chk_\\w+ )?CHECK \\((?:[^()]|\\([^()]*\\))*\\)";

    private final TestedDatabase database;
    private final JdbcStoreFixture fixture;
    private final String table;

    /** What a row has become. */
    record Found(int status, int attempts, String error) {}

    private PlainRows(TestedDatabase database, JdbcStoreFixture fixture, String table) {
        this.database = database;
        this.fixture = fixture;
        this.table = table;
    }

    /** A new table made by the shipped scripts. */
    static PlainRows shipped(TestedDatabase database) {
        return new PlainRows(database, Tables.shipped(database, "outbox_event"), "outbox_event");
    }

    /** A new table as the shipped scripts make it, but with plain text for JSON and without checks. */
    static PlainRows unchecked(TestedDatabase database) {
        TableName table = TableName.of("unchecked_outbox");
        Tables.drop(database.pool(), table);
        String name = database.store(table).name();
        String script = OutboxSchema.script(name, table) + ";" + OutboxSchema.script(name + "-ordered", table);
        for (String sql : script.replaceAll("(?m)^\\s*--.*$", "").split(";", -1)) {
            if (!sql.isBlank()) {
                Tables.execute(database.pool(), uncheckedText(database, sql));
            }
        }
        return new PlainRows(database, Tables.fixture(database, table), table.table());
    }

    private static String uncheckedText(TestedDatabase database, String sql) {
        return sql.replaceAll(CHECKS, "")
                .replaceAll("\\bJSON\\b", database == TestedDatabase.POSTGRESQL ? "TEXT" : "LONGTEXT")
                .replace("VARCHAR(1048576)", "VARCHAR(4000000)");
    }

    JdbcStoreFixture fixture() {
        return fixture;
    }

    /** The columns of a row that nothing is wrong with; values are literals of SQL. */
    Map<String, String> healthy(String id, String key, String createdAt) {
        Map<String, String> columns = new LinkedHashMap<>();
        columns.put("event_id", text(id));
        columns.put("event_type", text("Placed"));
        columns.put("aggregate_type", text("Order"));
        columns.put("aggregate_id", text(key));
        columns.put("payload", text("{}"));
        columns.put("status", "0");
        columns.put("attempts", "0");
        columns.put("available_at", text(createdAt));
        columns.put("created_at", text(createdAt));
        return columns;
    }

    void insert(Map<String, String> columns) {
        Tables.execute(
                database.pool(),
                "INSERT INTO " + table + " (" + String.join(", ", columns.keySet()) + ") VALUES ("
                        + String.join(", ", columns.values()) + ")");
    }

    /** The text as a literal. */
    String text(String value) {
        boolean backslashEscapes = database != TestedDatabase.POSTGRESQL && database != TestedDatabase.H2;
        String escaped = backslashEscapes ? value.replace("\\", "\\\\") : value;
        return "'" + escaped.replace("'", "''") + "'";
    }

    int pending() {
        return Integer.parseInt(
                Tables.select(database.pool(), "SELECT COUNT(*) FROM " + table + " WHERE status IN (0, 2)")
                        .get(0));
    }

    /** All rows by their ids. */
    Map<String, Found> all() {
        try (Connection conn = database.pool().getConnection();
                Statement statement = conn.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT event_id, status, attempts, last_error FROM " + table)) {
            Map<String, Found> found = new HashMap<>();
            while (rows.next()) {
                found.put(rows.getString(1), new Found(rows.getInt(2), rows.getInt(3), rows.getString(4)));
            }
            return found;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
