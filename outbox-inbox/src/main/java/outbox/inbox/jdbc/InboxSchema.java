package outbox.inbox.jdbc;

import java.sql.Connection;
import java.util.List;
import outbox.jdbc.SchemaScript;
import outbox.jdbc.SchemaVersions;
import outbox.jdbc.TableName;

/**
 * The DDL of the table of consume records. Applications run the scripts with their migration tool; {@link #create} is for tests and
 * samples.
 */
public final class InboxSchema {

    /** The table that is used when none is named, in the connection's current schema. */
    public static final TableName DEFAULT_TABLE = TableName.of("event_consume_record");

    /** Not a legal name of a package, so that tools find the resources on the module path too. */
    private static final String DIRECTORY = "inbox-schema";

    /** Numbered so that one history can also hold the versions of the outbox's table. */
    private static final List<String> VERSIONS = List.of("688269.3.01__inbox_table");

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

    /**
     * The versions of the table on a database. Flyway and Liquibase find the resources in {@code inbox-schema/} and the name of the database, and
     * need {@code inbox_schema} (empty, or a schema with a dot behind it) and {@code inbox_table} as placeholders.
     */
    public static SchemaVersions versions(String database) {
        return new SchemaVersions(InboxSchema.class, DIRECTORY, database, "inbox", VERSIONS);
    }

    /** Creates the table and its indexes unless they exist. */
    public static void create(Connection conn, String database, TableName table) {
        scriptOf(database).run(conn, table);
    }

    private static SchemaScript scriptOf(String database) {
        return new SchemaScript(InboxSchema.class, DIRECTORY, database, DEFAULT_TABLE.table());
    }
}
