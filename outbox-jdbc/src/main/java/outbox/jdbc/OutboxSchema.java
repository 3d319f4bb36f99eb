package outbox.jdbc;

import java.sql.Connection;
import java.util.List;

/**
 * The DDL of the outbox table. Applications run the scripts with their migration tool; {@link #create} is for tests and samples.
 */
public final class OutboxSchema {

    private static final String DIRECTORY = "schema";

    /** Not a legal name of a package, so that tools find the resources on the module path too. */
    private static final String VERSIONS = "outbox-schema";

    private static final String ORDERED = "-ordered";

    /**
     * No application counts so far: 688269 is what the letters of "outbox" are on a telephone. Behind it are the table (1), its index for
     * delivery in order (2) and the inbox's table (3), so that one history can hold all of them. Two digits, because Liquibase sorts
     * names as texts.
     */
    private static final List<String> TABLE = List.of(
            "688269.1.01__outbox_table",
            "688269.1.02__outbox_sequence_and_nodes",
            "688269.1.03__outbox_default_times",
            "688269.1.04__outbox_due_index",
            "688269.1.05__outbox_without_pending_index",
            "688269.1.06__outbox_node_mode",
            "688269.1.07__outbox_pauses",
            "688269.1.08__outbox_bytes");

    private static final List<String> ORDERED_INDEX = List.of("688269.2.01__outbox_ordered_index");

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

    /**
     * The versions of the table on a database or, if {@code -ordered} is behind the name, of its index for delivery in order. Flyway and
     * Liquibase find the resources in {@code outbox-schema/} and that name, and need {@code outbox_schema} (empty, or a schema with a dot
     * behind it) and {@code outbox_table} as placeholders. They do not shorten names of indexes, so the table's name may have 50 characters
     * at most.
     */
    public static SchemaVersions versions(String database) {
        List<String> names = database.endsWith(ORDERED) ? ORDERED_INDEX : TABLE;
        return new SchemaVersions(OutboxSchema.class, VERSIONS, database, "outbox", names);
    }

    /**
     * The migrations that a table of an older version needs, oldest first, for a table of the given name; see {@link #versions}.
     *
     * @param fromVersion 0 for no table at all, 1 for one with the fifteen columns of the first version
     * @throws IllegalArgumentException if there are no scripts for that database or no such version
     */
    public static List<String> migrations(String database, TableName table, int fromVersion) {
        return versions(database).scripts(table, fromVersion);
    }

    /** Brings a table of an older version up to the newest; see {@link #migrations}. */
    public static void migrate(Connection conn, String database, TableName table, int fromVersion) {
        SchemaVersions versions = versions(database);
        versions.migrate(conn, table, fromVersion, versions.newest());
    }

    /**
     * Brings a table of an older version up to another one; see {@link #migrations}.
     *
     * @throws IllegalArgumentException if there are no scripts for that database or no such versions
     */
    public static void migrate(Connection conn, String database, TableName table, int fromVersion, int toVersion) {
        versions(database).migrate(conn, table, fromVersion, toVersion);
    }

    /** Creates the table and its indexes unless they are there already. */
    public static void create(Connection conn, String database, TableName table) {
        scriptOf(database).run(conn, table);
    }

    private static SchemaScript scriptOf(String database) {
        return new SchemaScript(OutboxSchema.class, DIRECTORY, database, TableNames.DEFAULT_TABLE);
    }
}
