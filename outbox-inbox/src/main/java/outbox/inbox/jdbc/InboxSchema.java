package outbox.inbox.jdbc;

import java.sql.Connection;
import outbox.jdbc.SchemaScript;
import outbox.jdbc.TableName;

/**
 * The DDL of the table of consume records. Applications run the scripts with their migration tool; {@link #create} is for tests and
 * samples.
 */
public final class InboxSchema {

    /** The table that is used when none is named, in the connection's current schema. */
    public static final TableName DEFAULT_TABLE = TableName.of("event_consume_record");

    private InboxSchema() {}

    /** The resource that holds a database's script: {@code h2}, {@code postgresql}, {@code mysql} or {@code mariadb}. */
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

    /** Not a legal name of a package, so that tools find the resources on the module path too. */
    private static SchemaScript scriptOf(String database) {
        return new SchemaScript(InboxSchema.class, "inbox-schema", database, DEFAULT_TABLE.table());
    }
}
