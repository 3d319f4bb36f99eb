package outbox.jdbc;

import java.sql.Connection;

/**
 * The DDL of the outbox table. Applications run the scripts with their migration tool; {@link #create} is for tests and samples.
 */
public final class OutboxSchema {

    private OutboxSchema() {}

    /** The resource that holds a database's script; the name is that of the store, for example {@code postgresql}. */
    public static String resource(String database) {
        return scriptOf(database).resource();
    }

    /**
     * The script of a database for a table of the given name.
     *
     * @throws IllegalArgumentException if there is no script for that database
     */
    public static String script(String database, TableName table) {
        return scriptOf(database).text(table);
    }

    /** Creates the table and its indexes unless they are there already. */
    public static void create(Connection conn, String database, TableName table) {
        scriptOf(database).run(conn, table);
    }

    private static SchemaScript scriptOf(String database) {
        return new SchemaScript(OutboxSchema.class, "schema", database, TableNames.DEFAULT_TABLE);
    }
}
