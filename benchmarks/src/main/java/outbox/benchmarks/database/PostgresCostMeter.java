package outbox.benchmarks.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Asks PostgreSQL: statements from pg_stat_statements, commits from pg_stat_database, log from the difference of LSNs. A server
 * process may keep its share of commits to itself until it ends, so both ends of the measurement wait for the candidate's
 * connections to be gone.
 */
final class PostgresCostMeter implements CostMeter {

    /** Marks statements of the harness, which are not the candidate's. */
    static final String OWN = "/* harness */";

    private static final Duration QUIET_TIMEOUT = Duration.ofSeconds(20);
    private static final String CLIENTS = "SELECT count(*) FROM pg_stat_activity WHERE datname = ?";
    private static final String FORGET =
            "SELECT count(pg_stat_statements_reset(0, oid, 0)) FROM pg_database WHERE datname = ?";
    private static final String STATEMENTS = "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements s"
            + " JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = ? AND query NOT LIKE '%" + OWN + "%'";
    private static final String COMMITS = "SELECT xact_commit FROM pg_stat_database WHERE datname = ?";
    private static final String LSN = "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn WHERE ?::text IS NOT NULL";

    private final Connection admin;
    private final String database;
    private final LongSupplier ownCommits;
    private long commitsBefore;
    private long ownCommitsBefore;
    private long lsnBefore;

    /** @param admin a connection to another database of the server, closed with this meter */
    PostgresCostMeter(Connection admin, String database, LongSupplier ownCommits) {
        this.admin = admin;
        this.database = database;
        this.ownCommits = ownCommits;
    }

    @Override
    public void begin() throws SQLException {
        awaitQuiet();
        ask(FORGET);
        commitsBefore = ask(COMMITS);
        ownCommitsBefore = ownCommits.getAsLong();
        lsnBefore = ask(LSN);
    }

    @Override
    public Costs end() throws SQLException {
        long walBytes = ask(LSN) - lsnBefore;
        awaitQuiet();
        long commits = ask(COMMITS) - commitsBefore - (ownCommits.getAsLong() - ownCommitsBefore);
        return new Costs(statements(), commits, OptionalLong.of(walBytes));
    }

    @Override
    public long statements() throws SQLException {
        return ask(STATEMENTS);
    }

    @Override
    public OptionalLong logPosition() throws SQLException {
        return OptionalLong.of(ask(LSN));
    }

    @Override
    public void close() throws SQLException {
        admin.close();
    }

    private void awaitQuiet() throws SQLException {
        long deadline = System.nanoTime() + QUIET_TIMEOUT.toNanos();
        while (ask(CLIENTS) > 0) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(database + " still has clients after " + QUIET_TIMEOUT);
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    private long ask(String sql) throws SQLException {
        try (PreparedStatement statement = admin.prepareStatement(sql)) {
            statement.setString(1, database);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }
}
