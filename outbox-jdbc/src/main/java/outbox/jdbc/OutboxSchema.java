package outbox.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The DDL of the outbox table. Applications run the scripts with their migration tool; {@link #create} is for tests and samples.
 */
public final class OutboxSchema {

    /** Followed by an even number of dollar quotes, so that the body of a function is not torn apart. */
    private static final String OUTSIDE_OF_BODIES = "(?=(?:[^$]*\\$\\$[^$]*\\$\\$)*[^$]*$)";

    private static final String DEFAULT_TABLE = TableNames.DEFAULT_TABLE;

    /** All names in one pass: a name that was put in may look like another one that is to be replaced. */
    private static final Pattern NAMES = Pattern.compile("\\b(idx_)?" + DEFAULT_TABLE + "(_\\w+)?\\b\\(?");

    /** The same for every database; the number of a version is its place, from one. */
    private static final List<String> MIGRATIONS = List.of("V1__outbox_table", "V2__outbox_sequence_and_nodes");

    private OutboxSchema() {}

    /** The resource that holds a database's script; the name is that of the store, for example {@code postgresql}. */
    public static String resource(String database) {
        return "schema/" + database + ".sql";
    }

    /**
     * The script of a database for a table of the given name.
     *
     * @throws IllegalArgumentException if there is no script for that database
     */
    public static String script(String database, TableName table) {
        return NAMES.matcher(read(database)).replaceAll(name -> Matcher.quoteReplacement(renamed(name.group(), table)));
    }

    /**
     * The migrations that a table of an older version needs, oldest first, for a table of the given name. The resources themselves can be given
     * to Flyway and Liquibase, with {@code outbox_schema} (empty, or a schema with a dot behind it) and {@code outbox_table} as placeholders.
     *
     * @param fromVersion 0 for no table at all, 1 for one with the fifteen columns of the first version
     * @throws IllegalArgumentException if there are no scripts for that database or no such version
     */
    public static List<String> migrations(String database, TableName table, int fromVersion) {
        if (fromVersion < 0 || fromVersion > MIGRATIONS.size()) {
            throw new IllegalArgumentException("fromVersion must be between 0 (no table yet) and " + MIGRATIONS.size()
                    + " (the newest), was " + fromVersion);
        }
        String schema = table.schema() == null ? "" : table.schema() + ".";
        return MIGRATIONS.subList(fromVersion, MIGRATIONS.size()).stream()
                .map(migration -> read(database + "/" + migration)
                        .replace("${outbox_schema}", schema)
                        .replace("${outbox_table}", table.table()))
                .toList();
    }

    /** Brings a table of an older version up to the newest; see {@link #migrations}. */
    public static void migrate(Connection conn, String database, TableName table, int fromVersion) {
        for (String script : migrations(database, table, fromVersion)) {
            execute(conn, script, "Cannot migrate table " + table + " from version " + fromVersion);
        }
    }

    /** Indexes and triggers are in the schema of their table and must not name it. */
    private static String renamed(String name, TableName table) {
        boolean withoutSchema = name.startsWith("idx_") || name.equals(DEFAULT_TABLE + "_notify");
        return name.replace(DEFAULT_TABLE, withoutSchema ? table.table() : table.toString());
    }

    /** Creates the table and its indexes unless they are there already. */
    public static void create(Connection conn, String database, TableName table) {
        execute(conn, script(database, table), "Cannot create table " + table + " from " + resource(database));
    }

    private static void execute(Connection conn, String script, String failure) {
        try (Statement statement = conn.createStatement()) {
            for (String sql : statements(script)) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new OutboxStoreException(failure, e);
        }
    }

    private static List<String> statements(String script) {
        return Arrays.stream(script.replaceAll("(?m)^\\s*--.*$", "").split(";" + OUTSIDE_OF_BODIES))
                .map(String::strip)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }

    private static String read(String database) {
        try (InputStream script = OutboxSchema.class.getResourceAsStream("/" + resource(database))) {
            if (script == null) {
                throw new IllegalArgumentException("No schema script for database \"" + database + "\"");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
