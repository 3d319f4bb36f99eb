package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TableName;

/** Where the database keeps what a table's name means that is written without quotes, in the words of {@link DatabaseMetaData}. */
record TablePlace(@Nullable String catalog, @Nullable String schema, String table) {

    static TablePlace of(Connection conn, TableName table) throws SQLException {
        DatabaseMetaData database = conn.getMetaData();
        String current = conn.getSchema(); // costs a statement on some
        return new TablePlace(
                catalogOf(conn, current, table), schemaOf(current, database, table), stored(database, table.table()));
    }

    /** What others call a schema is a catalog for MySQL and MariaDB, whose drivers know no schemas. */
    private static @Nullable String catalogOf(Connection conn, @Nullable String current, TableName table)
            throws SQLException {
        return current == null && table.schema() != null ? table.schema() : conn.getCatalog();
    }

    private static @Nullable String schemaOf(@Nullable String current, DatabaseMetaData database, TableName table)
            throws SQLException {
        String named = table.schema();
        return current == null || named == null ? current : stored(database, named);
    }

    private static String stored(DatabaseMetaData database, String name) throws SQLException {
        if (database.storesUpperCaseIdentifiers()) {
            return name.toUpperCase(Locale.ROOT);
        }
        return database.storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
    }
}
