package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TableName;

/** Why a table cannot be read, and what to do about it. */
final class UnreadableTable {

    /** PostgreSQL; MySQL, MariaDB and H2; H2 with a guess at what was meant. */
    private static final Set<String> MISSING_STATES = Set.of("42P01", "42S02", "42S03", "42S04");
    /** MySQL and MariaDB: no such database. H2: no such schema. */
    private static final Set<Integer> MISSING_CODES = Set.of(1049, 90079);

    private static final String POSTGRES_DENIES = "42501";
    /** MySQL and MariaDB: the table, its columns, its database. H2: any object. */
    private static final Set<Integer> DENIED_CODES = Set.of(1142, 1143, 1044, 90096);

    private final TableName table;
    private final String script;

    UnreadableTable(TableName table, String script) {
        this.table = table;
        this.script = script;
    }

    String explain(Connection conn, SQLException failure) {
        String told = "SQLState " + failure.getSQLState() + ", error " + failure.getErrorCode();
        if (isDenied(failure)) {
            return "Table \"" + table + "\" may not be read by this user of the database (" + told
                    + "): grant SELECT, INSERT, UPDATE and DELETE on it";
        }
        if (!isMissing(failure)) {
            return "Table \"" + table + "\" cannot be read (" + told + ")";
        }
        String other = otherSpelling(conn);
        String create = "apply " + script + " from outbox-jdbc";
        return other == null
                ? "Table \"" + table + "\" is missing: " + create
                : "Table \"" + table + "\" is missing: " + other + "; or " + create;
    }

    private static boolean isDenied(SQLException failure) {
        return POSTGRES_DENIES.equals(failure.getSQLState()) || DENIED_CODES.contains(failure.getErrorCode());
    }

    private static boolean isMissing(SQLException failure) {
        return MISSING_STATES.contains(String.valueOf(failure.getSQLState()))
                || MISSING_CODES.contains(failure.getErrorCode());
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
