package outbox.inbox.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.preflight.TrialText;

/**
 * Writes a record that nobody else can have, reads it back and rolls it back: a table that takes one consumer group or one event for another would
 * call events handled that nobody has handled.
 */
final class InboxTrial {

    private final InboxDialect dialect;
    private final String id = TrialText.newId();

    InboxTrial(InboxDialect dialect) {
        this.dialect = dialect;
    }

    /** What is wrong, each with its way out. Leaves the connection as it was. */
    List<String> problems(Connection conn) throws SQLException {
        boolean found = conn.getAutoCommit();
        conn.setAutoCommit(false);
        try {
            insert(conn);
            return read(conn);
        } finally {
            conn.rollback();
            conn.setAutoCommit(found);
        }
    }

    private void insert(Connection conn) throws SQLException {
        JdbcTemplate.update(
                conn,
                "INSERT INTO " + dialect.table() + " (consumer_group, event_id, event_type, status, retry_count,"
                        + " created_at, updated_at, aggregate_id, payload) VALUES (?, ?, 'outbox.preflight', 1, 0, "
                        + dialect.now() + ", " + dialect.now() + ", ?, ?)",
                id,
                id,
                TrialText.FOREIGN,
                TrialText.FOREIGN);
    }

    private List<String> read(Connection conn) throws SQLException {
        Map<String, String> others = TrialText.lookalikes(id, dialect.spacesCount());
        List<String> select = new ArrayList<>(List.of("aggregate_id", "payload"));
        List<@Nullable Object> params = new ArrayList<>();
        for (String column : List.of("consumer_group", "event_id")) {
            select.addAll(TrialText.comparisons(column, others.size()));
            params.addAll(others.values());
        }
        params.add(id);
        params.add(id);
        String sql = "SELECT " + String.join(", ", select) + " FROM " + dialect.table()
                + " WHERE consumer_group = ? AND event_id = ?";
        return JdbcTemplate.query(conn, sql, row -> judge(row, List.copyOf(others.keySet())), params.toArray()).stream()
                .flatMap(List::stream)
                .toList();
    }

    private static List<String> judge(ResultSet row, List<String> differences) throws SQLException {
        List<String> problems = new ArrayList<>();
        if (!TrialText.FOREIGN.equals(row.getString(1)) || !TrialText.FOREIGN.equals(row.getString(2))) {
            problems.add(
                    "emoji, Hebrew, Arabic and Chinese do not come back as they were written: let the connection speak UTF-8"
                            + " (for MySQL's driver leave out characterEncoding), and give the table a character set that has all of Unicode");
        }
        int next = 3;
        for (String column : List.of("consumer_group", "event_id")) {
            List<String> ignored = new ArrayList<>();
            for (String difference : differences) {
                if (row.getInt(next++) == 1) {
                    ignored.add(difference);
                }
            }
            if (!ignored.isEmpty()) {
                problems.add("column \"" + column + "\" takes texts for the same that differ in "
                        + String.join(", ", ignored)
                        + ", so events would count as handled that nobody has handled: give the column a collation that compares every"
                        + " character, as the script of the table does");
            }
        }
        return problems;
    }
}
