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

/**
 * The DDL of the outbox table. Applications run the scripts with their migration tool; {@link #create} is for tests and samples.
 */
public final class OutboxSchema {

    /** Followed by an even number of dollar quotes, so that the body of a function is not torn apart. */
    private static final String OUTSIDE_OF_BODIES = "(?=(?:[^$]*\\$\\$[^$]*\\$\\$)*[^$]*$)";

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
        return read(database)
                .replaceAll("\\bidx_outbox_event_", "idx_" + table.table() + "_")
                .replaceAll("\\boutbox_event_node\\b", Matcher.quoteReplacement(table + "_node"))
                .replaceAll("\\boutbox_event_notify\\(", Matcher.quoteReplacement(table + "_notify("))
                .replaceAll(
                        "\\boutbox_event_notify\\b", table.table() + "_notify") // a trigger is in its table's schema
                .replaceAll("\\boutbox_event\\b", Matcher.quoteReplacement(table.toString()));
    }

    /** Creates the table and its indexes unless they are there already. */
    public static void create(Connection conn, String database, TableName table) {
        try (Statement statement = conn.createStatement()) {
            for (String sql : statements(script(database, table))) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot create table " + table + " from " + resource(database), e);
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
