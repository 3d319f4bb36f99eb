package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.dialect.Failures;

/** Why a table cannot be read, and what to do about it. */
final class UnreadableTable {

    private final TableName table;
    private final Failures failures;
    private final String script;

    UnreadableTable(TableName table, Failures failures, String script) {
        this.table = table;
        this.failures = failures;
        this.script = script;
    }

    String explain(Connection conn, SQLException failure) {
        String told = "SQLState " + failure.getSQLState() + ", error " + failure.getErrorCode();
        if (failures.is(Failure.DENIED, failure)) {
            return "Table \"" + table + "\" may not be read by this user of the database (" + told
                    + "): grant SELECT, INSERT, UPDATE and DELETE on it";
        }
        if (!failures.is(Failure.MISSING, failure)) {
            return "Table \"" + table + "\" cannot be read (" + told + ")";
        }
        String other = otherSpelling(conn);
        String create = "apply " + script;
        return other == null
                ? "Table \"" + table + "\" is missing: " + create
                : "Table \"" + table + "\" is missing: " + other + "; or " + create;
    }

    /** A table whose name differs in upper and lower case only; null if there is none, or the database does not tell. */
    private @Nullable String otherSpelling(Connection conn) {
        try {
            DatabaseMetaData database = conn.getMetaData();
            TablePlace place = TablePlace.of(conn, table);
            try (ResultSet tables = database.getTables(place.catalog(), place.schema(), "%", null)) {
                while (tables.next()) {
                    String name = tables.getString("TABLE_NAME");
                    if (table.table().equalsIgnoreCase(name)) {
                        return "there is \"" + name + "\", but the name is written without quotes and then means \""
                                + place.table() + "\"; rename that table to " + place.table();
                    }
                }
            }
        } catch (SQLException e) {
            return null;
        }
        return null;
    }
}
