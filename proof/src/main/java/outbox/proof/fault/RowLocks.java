package outbox.proof.fault;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import outbox.jdbc.JdbcTemplate;
import outbox.proof.database.Contended;
import outbox.proof.database.HurtDatabase;

/** Somebody else who locks rows that are needed. */
final class RowLocks implements AutoCloseable {

    private static final int ROWS = 100;
    private static final int ENOUGH = 30;
    private static final int ROWS_OF_A_DEADLOCK = 30;

    /** Events come and go within milliseconds, and it takes a few looks to catch some of them. */
    private static final int LOOKS = 40;

    private static final long LOOK_MILLIS = 10;

    private final Connection conn;
    private final Set<String> keys = new HashSet<>();

    private RowLocks(Connection conn) {
        this.conn = conn;
    }

    /** Locks rows, and nothing between them, until it is closed. */
    static RowLocks hold(HurtDatabase database) throws SQLException, InterruptedException {
        RowLocks locks = new RowLocks(database.connect());
        try {
            locks.conn.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            locks.conn.setAutoCommit(false);
            for (int look = 0; look < LOOKS && locks.keys.size() < ENOUGH; look++) {
                for (Contended rows : database.contended()) {
                    locks.lock(rows, database.kind().byPrimaryKey());
                }
                Thread.sleep(LOOK_MILLIS);
            }
            return locks;
        } catch (SQLException | InterruptedException e) {
            locks.close();
            throw e;
        }
    }

    /**
     * By their keys: MySQL and MariaDB, if they find rows through another index, also keep entries of that index locked whose rows they have
     * skipped or did not want, and nobody would know of those. Left to themselves they do so when they believe the table to be small.
     */
    private void lock(Contended rows, String byPrimaryKey) throws SQLException {
        String select = "SELECT " + rows.key() + " FROM " + rows.table();
        List<String> found =
                JdbcTemplate.query(conn, select + " WHERE " + rows.where() + " LIMIT " + ROWS, row -> row.getString(1));
        if (!found.isEmpty()) {
            String among = byPrimaryKey + " WHERE " + rows.key() + " IN (?" + ", ?".repeat(found.size() - 1) + ")";
            keys.addAll(JdbcTemplate.query(
                    conn, select + among + " FOR UPDATE SKIP LOCKED", row -> row.getString(1), found.toArray()));
        }
    }

    /** Which rows are locked. */
    Set<String> keys() {
        return keys;
    }

    @Override
    public void close() throws SQLException {
        conn.close();
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
