package outbox.proof.fault;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.jdbc.JdbcTemplate;
import outbox.proof.database.Contended;
import outbox.proof.database.HurtDatabase;

/** Somebody else who locks rows that are needed. */
final class RowLocks {

    private static final int ROWS = 300;
    private static final int ROWS_OF_A_DEADLOCK = 30;

    private RowLocks() {}

    /** Locks rows until the connection is closed. */
    static Connection hold(HurtDatabase database) throws SQLException {
        Connection conn = database.connect();
        try {
            conn.setAutoCommit(false);
            for (Contended rows : database.contended()) {
                JdbcTemplate.query(
                        conn,
                        "SELECT " + rows.key() + " FROM " + rows.table() + " WHERE " + rows.where() + " LIMIT " + ROWS
                                + " FOR UPDATE SKIP LOCKED",
                        row -> row.getString(1));
            }
            return conn;
        } catch (SQLException e) {
            conn.close();
            throw e;
        }
    }

    /** Locks rows one after the other, the last first, which is not the order in which others lock them. */
    static void disturb(HurtDatabase database, long untilNanos) {
        while (System.nanoTime() < untilNanos) {
            try (Connection conn = database.connect()) {
                conn.setAutoCommit(false);
                while (System.nanoTime() < untilNanos) {
                    for (Contended rows : database.contended()) {
                        lockBackwards(conn, rows);
                    }
                }
            } catch (SQLException e) {
                System.err.println("The disturber was disturbed: " + e.getMessage());
            }
        }
    }

    private static void lockBackwards(Connection conn, Contended rows) throws SQLException {
        List<String> ids = JdbcTemplate.query(
                conn,
                "SELECT " + rows.key() + " FROM " + rows.table() + " WHERE " + rows.where() + " ORDER BY " + rows.key()
                        + " DESC LIMIT " + ROWS_OF_A_DEADLOCK,
                row -> row.getString(1));
        for (String id : ids) {
            JdbcTemplate.update(
                    conn,
                    "UPDATE " + rows.table() + " SET " + rows.key() + " = " + rows.key() + " WHERE " + rows.key()
                            + " = ?",
                    id);
        }
        conn.commit();
    }
}
