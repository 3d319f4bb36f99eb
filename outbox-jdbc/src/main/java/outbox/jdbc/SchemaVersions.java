package outbox.jdbc;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The versions of a table on one database: migrations that lead up, one by one, to what the script in one piece creates, and scripts that
 * lead down again. Flyway and Liquibase can run the resources themselves; what this class returns stands alone, with the name of the table
 * filled in. The number of a version is its place, from one, and the same for every database.
 */
public final class SchemaVersions {

    private final Class<?> owner;
    private final String directory;
    private final String database;
    private final List<String> names;
    private final String schemaPlaceholder;
    private final Pattern placeholders;

    /**
     * The versions of a table.
     *
     * @param owner a class of the jar that holds the resources
     * @param directory where the versions of all databases are, without a leading slash
     * @param database the name of the versions, for example {@code postgresql}
     * @param placeholder what the placeholders for schema and table begin with
     * @param names the names of the versions, oldest first, without what tells up from down
     */
    public SchemaVersions(Class<?> owner, String directory, String database, String placeholder, List<String> names) {
        this.owner = Objects.requireNonNull(owner, "owner");
        this.directory = Objects.requireNonNull(directory, "directory");
        this.database = Objects.requireNonNull(database, "database");
        this.names = List.copyOf(names);
        this.schemaPlaceholder = "${" + placeholder + "_schema}";
        this.placeholders =
                Pattern.compile("(idx_|chk_|)" + Pattern.quote("${" + placeholder + "_table}") + "((?:_\\w+)?)");
    }

    /** The number of the newest version. */
    public int newest() {
        return names.size();
    }

    /** Whether there is a script for a version; a database that has had from the beginning what it adds needs none. */
    public boolean has(int version) {
        return up(version).exists();
    }

    /** The resource that holds the script of a version. */
    public String resource(int version) {
        return up(version).path();
    }

    /**
     * The scripts that lead from an older version up to the newest, oldest first.
     *
     * @param fromVersion 0 for no table at all
     * @throws IllegalArgumentException if there is no such version
     */
    public List<String> scripts(TableName table, int fromVersion) {
        return scripts(table, fromVersion, newest());
    }

    /**
     * The scripts that lead from an older version up to another one, oldest first.
     *
     * @throws IllegalArgumentException if there are no scripts for the database or no such versions
     */
    public List<String> scripts(TableName table, int fromVersion, int toVersion) {
        requireVersion("fromVersion", fromVersion);
        require(
                toVersion >= fromVersion && toVersion <= newest(),
                "toVersion must be between fromVersion " + fromVersion + " and " + newest() + " (the newest), was "
                        + toVersion);
        List<String> scripts = new ArrayList<>();
        for (int version = fromVersion + 1; version <= toVersion; version++) {
            add(scripts, up(version), table);
        }
        return scripts;
    }

    /**
     * The scripts that lead from a newer version down to an older one, newest first. Each begins with a warning: it says what is lost and what
     * to do before.
     *
     * @param toVersion 0 for no table at all
     * @throws IllegalArgumentException if there are no such versions
     */
    public List<String> downScripts(TableName table, int fromVersion, int toVersion) {
        requireVersion("fromVersion", fromVersion);
        require(
                toVersion >= 0 && toVersion <= fromVersion,
                "toVersion must be between 0 (no table) and fromVersion " + fromVersion + ", was " + toVersion);
        List<String> scripts = new ArrayList<>();
        for (int version = fromVersion; version > toVersion; version--) {
            add(scripts, down(version), table);
        }
        return scripts;
    }

    /** Brings a table of an older version up to another one; see {@link #scripts(TableName, int, int)}. */
    public void migrate(Connection conn, TableName table, int fromVersion, int toVersion) {
        for (String script : scripts(table, fromVersion, toVersion)) {
            SchemaScript.execute(conn, script, "Cannot migrate table " + table + " from version " + fromVersion);
        }
    }

    /** Brings a table down to an older version, and loses what the scripts warn of; see {@link #downScripts}. */
    public void migrateDown(Connection conn, TableName table, int fromVersion, int toVersion) {
        for (String script : downScripts(table, fromVersion, toVersion)) {
            SchemaScript.execute(conn, script, "Cannot take table " + table + " down from version " + fromVersion);
        }
    }

    private void requireVersion(String name, int version) {
        require(has(1), "No schema script for database \"" + database + "\"");
        require(
                version >= 0 && version <= newest(),
                name + " must be between 0 (no table yet) and " + newest() + " (the newest), was " + version);
    }

    private static void require(boolean right, String message) {
        if (!right) {
            throw new IllegalArgumentException(message);
        }
    }

    private void add(List<String> scripts, SqlResource resource, TableName table) {
        if (resource.exists()) {
            scripts.add(filledIn(resource.text(), table));
        }
    }

    private SqlResource up(int version) {
        return new SqlResource(owner, directory + "/" + database + "/V" + names.get(version - 1) + ".sql");
    }

    /** Not beside the versions: Flyway would find them there. */
    private SqlResource down(int version) {
        return new SqlResource(owner, directory + "/down/" + database + "/U" + names.get(version - 1) + ".sql");
    }

    private String filledIn(String script, TableName table) {
        String schema = table.schema() == null ? "" : table.schema() + ".";
        return placeholders
                .matcher(script.replace(schemaPlaceholder, schema))
                .replaceAll(name ->
                        Matcher.quoteReplacement(TableNames.derived(name.group(1), table.table(), name.group(2))));
    }
}
