package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * DDL among the resources of a jar, written for a table of one name and usable for a table of any other. Indexes are called
 * {@code idx_} and the table's name, checks {@code chk_} and the table's name, with more behind it.
 */
public final class SchemaScript {

    /** Followed by an even number of dollar quotes, so that the body of a function is not torn apart. */
    private static final String OUTSIDE_OF_BODIES = "(?=(?:[^$]*\\$\\$[^$]*\\$\\$)*[^$]*$)";

    private final Class<?> owner;
    private final String directory;
    private final String database;
    private final Pattern names;

    /**
     * A script.
     *
     * @param owner a class of the jar that holds the resource
     * @param directory where the scripts of all databases are, without a leading slash
     * @param database the name of the script, for example {@code postgresql}
     * @param writtenFor the table's name in the script
     */
    public SchemaScript(Class<?> owner, String directory, String database, String writtenFor) {
        this.owner = Objects.requireNonNull(owner, "owner");
        this.directory = Objects.requireNonNull(directory, "directory");
        this.database = Objects.requireNonNull(database, "database");
        // All names in one pass: a name that was put in may look like another one that is to be replaced.
        this.names = Pattern.compile("\\b(idx_|chk_)?" + TableNames.validate(writtenFor) + "(_\\w+)?\\b(\\(?)");
    }

    /** The path of the resource. */
    public String resource() {
        return directory + "/" + database + ".sql";
    }

    /**
     * The script for a table of the given name.
     *
     * @throws IllegalArgumentException if there is no such resource
     */
    public String text(TableName table) {
        return names.matcher(source()).replaceAll(name -> Matcher.quoteReplacement(renamed(name, table)));
    }

    /** Runs the script, which leaves alone what is there already. */
    public void run(Connection conn, TableName table) {
        execute(conn, text(table), "Cannot create table " + table + " from " + resource());
    }

    /** Runs statements one by one; a failure is told in the given words. */
    static void execute(Connection conn, String script, String failure) {
        try (Statement statement = conn.createStatement()) {
            for (String sql : statements(script)) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new OutboxStoreException(failure, e);
        }
    }

    /** Indexes, checks and triggers are in the schema of their table and must not name it. */
    private static String renamed(MatchResult name, TableName table) {
        String prefix = orEmpty(name.group(1));
        String suffix = orEmpty(name.group(2));
        String call = name.group(3);
        if (!prefix.isEmpty() || (suffix.equals("_notify") && call.isEmpty())) {
            return TableNames.derived(prefix, table.table(), suffix) + call;
        }
        return (suffix.isEmpty() ? table : table.beside(suffix)) + call;
    }

    private static String orEmpty(@Nullable String group) {
        return group == null ? "" : group;
    }

    private static List<String> statements(String script) {
        return Arrays.stream(script.replaceAll("(?m)^\\s*--.*$", "").split(";" + OUTSIDE_OF_BODIES))
                .map(String::strip)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }

    private String source() {
        SqlResource script = new SqlResource(owner, resource());
        if (!script.exists()) {
            throw new IllegalArgumentException("No schema script for database \"" + database + "\"");
        }
        return script.text();
    }
}
