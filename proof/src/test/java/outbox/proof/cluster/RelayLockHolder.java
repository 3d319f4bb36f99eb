package outbox.proof.cluster;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.jdbc.JdbcTemplate;

/** The session that holds PostgreSQL's relay lock, seen and ended from outside. */
final class RelayLockHolder {

    private static final String HOLDERS = "FROM pg_locks WHERE locktype = 'advisory' AND granted"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    private final Cluster cluster;

    RelayLockHolder(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Waits until there is one. */
    void await() throws Exception {
        cluster.awaitZero("SELECT 1 - count(*) " + HOLDERS);
    }

    /** Returns when the session is gone; the time at which the order was given. */
    long terminate() throws Exception {
        await();
        long before = System.nanoTime();
        try (Connection conn = cluster.connect()) {
            requireOne(JdbcTemplate.query(
                    conn, "SELECT pg_terminate_backend(pid, 10000) " + HOLDERS, row -> row.getBoolean(1)));
        }
        return before;
    }

    private static void requireOne(List<Boolean> ended) throws SQLException {
        if (!ended.equals(List.of(true))) {
            throw new SQLException("one session should have held the relay lock, and ended; was " + ended);
        }
    }
}
