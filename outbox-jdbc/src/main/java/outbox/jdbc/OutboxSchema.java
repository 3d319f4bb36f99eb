package outbox.jdbc;

import java.sql.Connection;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The DDL of the outbox table. Applications run the scripts with their migration tool; {@link #create} is for tests and samples.
 */
public final class OutboxSchema {

    /** The same for every database; the number of a version is its place, from one. */
    private static final List<String> MIGRATIONS = List.of("V1__outbox_table", "V2__outbox_sequence_and_nodes");

    private static final Pattern NAME_WITH_PLACEHOLDER = Pattern.compile("(idx_|chk_|)\\$\\{outbox_table}((?:_\\w+)?)");

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
     * The migrations that a table of an older version needs, oldest first, for a table of the given name. The resources themselves can be given
     * to Flyway and Liquibase, with {@code outbox_schema} (empty, or a schema with a dot behind it) and {@code outbox_table} as placeholders;
     * names of indexes are not shortened then, so the table's name may have 50 characters at most.
     *
     * @param fromVersion 0 for no table at all, 1 for one with the fifteen columns of the first version
     * @throws IllegalArgumentException if there are no scripts for that database or no such version
     */
    public static List<String> migrations(String database, TableName table, int fromVersion) {
        if (fromVersion < 0 || fromVersion > MIGRATIONS.size()) {
            throw new IllegalArgumentException("fromVersion must be between 0 (no table yet) and " + MIGRATIONS.size()
                    + " (the newest), was " + fromVersion);
        }
        return MIGRATIONS.subList(fromVersion, MIGRATIONS.size()).stream()
                .map(migration -> filledIn(scriptOf(database + "/" + migration).source(), table))
                .toList();
    }

    private static String filledIn(String script, TableName table) {
        String schema = table.schema() == null ? "" : table.schema() + ".";
        return NAME_WITH_PLACEHOLDER
                .matcher(script.replace("${outbox_schema}", schema))
                .replaceAll(name -> TableNames.derived(name.group(1), table.table(), name.group(2)));
    }

    /** Brings a table of an older version up to the newest; see {@link #migrations}. */
    public static void migrate(Connection conn, String database, TableName table, int fromVersion) {
        migrate(conn, database, table, fromVersion, MIGRATIONS.size());
    }

    /**
     * Brings a table of an older version up to another one; see {@link #migrations}.
     *
     * @throws IllegalArgumentException if there are no scripts for that database or no such versions
     */
    public static void migrate(Connection conn, String database, TableName table, int fromVersion, int toVersion) {
        List<String> scripts = migrations(database, table, fromVersion);
        if (toVersion < fromVersion || toVersion > MIGRATIONS.size()) {
            throw new IllegalArgumentException("toVersion must be between fromVersion " + fromVersion + " and "
                    + MIGRATIONS.size() + " (the newest), was " + toVersion);
        }
        for (String script : scripts.subList(0, toVersion - fromVersion)) {
            SchemaScript.execute(conn, script, "Cannot migrate table " + table + " from version " + fromVersion);
        }
    }

    /** Creates the table and its indexes unless they are there already. */
    public static void create(Connection conn, String database, TableName table) {
        scriptOf(database).run(conn, table);
    }

    private static SchemaScript scriptOf(String database) {
        return new SchemaScript(OutboxSchema.class, "schema", database, TableNames.DEFAULT_TABLE);
    }
}
