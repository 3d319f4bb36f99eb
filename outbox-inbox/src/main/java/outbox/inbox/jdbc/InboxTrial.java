package outbox.inbox.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.internal.transaction.DatabaseFailure;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.preflight.Trial;
import outbox.jdbc.preflight.TrialText;

/**
 * Writes a record that nobody else can have, reads it back and rolls it back: a table that takes one consumer group or one event for
 * another would call events handled that nobody has handled. Used once, by one thread.
 */
final class InboxTrial {

    private static final String RIGHTS = "rights";
    private static final String TEXT = "text";
    private static final String COLLATION = "collation";

    /** The names by which they are switched off. */
    static final List<String> CHECKS = List.of(RIGHTS, TEXT, COLLATION);

    private static final String PLAIN = "plain";
    private static final List<String> COLUMNS = List.of("consumer_group", "event_id");
    private static final String FOREIGN_TEXTS = "emoji, Hebrew, Arabic and Chinese";
    private static final String TEXT_WAY_OUT = ": let the connection speak UTF-8 (for MySQL's driver leave out"
            + " characterEncoding), and give the table a character set that has all of Unicode";

    private final InboxDialect dialect;
    private final Set<String> skipped;
    private final String id = TrialText.newId();
    private final List<String> problems = new ArrayList<>();
    private final List<String> lacking = new ArrayList<>();

    InboxTrial(InboxDialect dialect, Set<String> skipped) {
        this.dialect = dialect;
        this.skipped = skipped;
    }

    /**
     * What is wrong, each with its way out. Leaves the connection as it was.
     *
     * @throws SQLException if the database is away or there is no such table: nothing is known then
     */
    List<String> problems(Connection conn) throws SQLException {
        if (skipped.containsAll(CHECKS)) {
            return List.of();
        }
        boolean found = conn.getAutoCommit();
        conn.setAutoCommit(false);
        try {
            tryAll(conn);
        } finally {
            conn.rollback();
            conn.setAutoCommit(found);
        }
        return List.copyOf(problems);
    }

    private void tryAll(Connection conn) throws SQLException {
        String kept = insert(conn);
        List<Integer> seen = new ArrayList<>();
        boolean read = judge("SELECT", attempt(conn, () -> seen.addAll(read(conn, kept))));
        boolean changed = judge("UPDATE", attempt(conn, () -> update(conn)));
        if (!lacking.isEmpty()) {
            String rights = String.join(", ", lacking);
            problem(
                    RIGHTS,
                    "this user of the database lacks " + rights + ", without which nothing can be handled: GRANT "
                            + rights + " ON " + dialect.table() + " to it");
        } else if (kept != null && read && changed && seen.isEmpty()) {
            problem(
                    RIGHTS,
                    "a record that was written is not to be seen, so events would be handled again: let no row-level security hide"
                            + " records from this user");
        }
    }

    /** Returns the text that could be inserted; null if none could. */
    private @Nullable String insert(Connection conn) throws SQLException {
        String text = skipped.contains(TEXT) ? PLAIN : TrialText.FOREIGN;
        SQLException refused = attempt(conn, () -> insert(conn, text));
        if (refused == null) {
            return text;
        }
        if (!isDenied(refused) && !text.equals(PLAIN)) {
            SQLException plainRefused = attempt(conn, () -> insert(conn, PLAIN));
            if (plainRefused == null) {
                problem(TEXT, "refuses " + FOREIGN_TEXTS + " (" + Trial.told(refused) + ")" + TEXT_WAY_OUT);
                return PLAIN;
            }
            refused = plainRefused;
        }
        judge("INSERT", refused);
        return null;
    }

    private void insert(Connection conn, String text) throws SQLException {
        JdbcTemplate.update(
                conn,
                "INSERT INTO " + dialect.table() + " (consumer_group, event_id, event_type, status, retry_count,"
                        + " created_at, updated_at, aggregate_id, payload) VALUES (?, ?, 'outbox.preflight', 1, 0, "
                        + dialect.now() + ", " + dialect.now() + ", ?, ?)",
                id,
                id,
                text,
                text);
    }

    private List<Integer> read(Connection conn, @Nullable String written) throws SQLException {
        Map<String, String> others = TrialText.lookalikes(id, dialect.spacesCount());
        List<String> select = new ArrayList<>(List.of("aggregate_id", "payload"));
        List<@Nullable Object> params = new ArrayList<>();
        for (String column : COLUMNS) {
            select.addAll(TrialText.comparisons(column, others.size()));
            params.addAll(others.values());
        }
        params.add(id);
        params.add(id);
        String sql = "SELECT " + String.join(", ", select) + " FROM " + dialect.table()
                + " WHERE consumer_group = ? AND event_id = ?";
        return JdbcTemplate.query(
                conn, sql, row -> judge(row, written, List.copyOf(others.keySet())), params.toArray());
    }

    /** Returns the number of columns. */
    private int judge(ResultSet row, @Nullable String written, List<String> differences) throws SQLException {
        if (written != null && !(written.equals(row.getString(1)) && written.equals(row.getString(2)))) {
            problem(TEXT, "does not return " + FOREIGN_TEXTS + " as they were written" + TEXT_WAY_OUT);
        }
        int next = 3;
        for (String column : COLUMNS) {
            List<String> ignored = new ArrayList<>();
            for (String difference : differences) {
                if (row.getInt(next++) == 1) {
                    ignored.add(difference);
                }
            }
            if (!ignored.isEmpty()) {
                problem(
                        COLLATION,
                        "column \"" + column + "\" takes texts for the same that differ in "
                                + String.join(", ", ignored)
                                + ", so events would count as handled that nobody has handled: give the column a collation that"
                                + " compares every character, as the script of the table does");
            }
        }
        return next;
    }

    /** Of no record: a condition on columns would need SELECT as well. */
    private void update(Connection conn) throws SQLException {
        JdbcTemplate.update(conn, "UPDATE " + dialect.table() + " SET updated_at = " + dialect.now() + " WHERE 1 = 0");
    }

    @FunctionalInterface
    private interface Attempt {
        void run() throws SQLException;
    }

    /** Returns the refusal, after which nothing is left of what was done before; null if there was none. */
    private @Nullable SQLException attempt(Connection conn, Attempt attempt) throws SQLException {
        try {
            attempt.run();
            return null;
        } catch (SQLException e) {
            if (DatabaseFailure.of(e) != DatabaseFailure.REFUSED
                    || dialect.failures().is(Failure.MISSING, e)) {
                throw e;
            }
            conn.rollback();
            return e;
        }
    }

    private boolean isDenied(SQLException e) {
        return dialect.failures().is(Failure.DENIED, e);
    }

    /** Whether nothing was refused. */
    private boolean judge(String statement, @Nullable SQLException refused) {
        if (refused == null) {
            return true;
        }
        if (isDenied(refused)) {
            lacking.add(statement);
        } else {
            problem(
                    RIGHTS,
                    "refuses " + statement + " of a record as the inbox does it (" + Trial.told(refused)
                            + "): compare its columns, checks and triggers with the script of the table, and see the log of the"
                            + " database for the reason");
        }
        return false;
    }

    private void problem(String check, String message) {
        if (!skipped.contains(check)) {
            problems.add("[" + check + "] " + message);
        }
    }
}
