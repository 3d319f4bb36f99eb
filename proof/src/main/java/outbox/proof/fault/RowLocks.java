package outbox.proof.fault;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.jdbc.JdbcTemplate;
import outbox.proof.database.HurtDatabase;

/** Somebody else who locks rows of the outboxes. */
final class RowLocks {

    private static final int ROWS = 300;
    private static final int ROWS_OF_A_DEADLOCK = 30;

    private RowLocks() {}

    /** Locks rows until the connection is closed. */
    static Connection hold(HurtDatabase database, List<String> outboxes) throws SQLException {
        Connection conn = database.connect();
        try {
            conn.setAutoCommit(false);
            for (String outbox : outboxes) {
                JdbcTemplate.query(
                        conn,
                        "SELECT event_id FROM " + outbox + " WHERE status IN (0, 2) LIMIT " + ROWS
                                + " FOR UPDATE SKIP LOCKED",
                        row -> row.getString(1));
            }
            return conn;
        } catch (SQLException e) {
            conn.close();
            throw e;
        }
    }

    /** Locks rows one after the other, the latest first, while outboxes record their outcomes the other way round. */
    static void disturb(HurtDatabase database, List<String> outboxes, long untilNanos) {
        while (System.nanoTime() < untilNanos) {
            try (Connection conn = database.connect()) {
                conn.setAutoCommit(false);
                while (System.nanoTime() < untilNanos) {
                    for (String outbox : outboxes) {
                        lockBackwards(conn, outbox);
                    }
                }
            } catch (SQLException e) {
                System.err.println("The disturber was disturbed: " + e.getMessage());
            }
        }
    }

    private static void lockBackwards(Connection conn, String outbox) throws SQLException {
        List<String> ids = JdbcTemplate.query(
                conn,
                "SELECT event_id FROM " + outbox + " WHERE status IN (0, 2) ORDER BY event_id DESC LIMIT "
                        + ROWS_OF_A_DEADLOCK,
                row -> row.getString(1));
        for (String id : ids) {
            JdbcTemplate.update(conn, "UPDATE " + outbox + " SET available_at = available_at WHERE event_id = ?", id);
        }
        conn.commit();
    }
}
