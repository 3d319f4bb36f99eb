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

    /** Indexes and triggers are in the schema of their table and must not name it. */
    private static String renamed(String name, TableName table) {
        boolean withoutSchema = name.startsWith("idx_") || name.equals(DEFAULT_TABLE + "_notify");
        return name.replace(DEFAULT_TABLE, withoutSchema ? table.table() : table.toString());
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
