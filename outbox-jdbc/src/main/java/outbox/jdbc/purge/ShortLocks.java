package outbox.jdbc.purge;

import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.dialect.Failures;
import outbox.jdbc.dialect.PostgresDialect;
import outbox.spi.ConnectionProvider;

/**
 * Transactions that lock whole tables. Everybody else queues up behind a lock that is waited for, so they give up soon; and they see, under
 * their locks, what was committed before them, whatever the isolation level of the pool.
 */
final class ShortLocks {

    private static final Failures FAILURES = new PostgresDialect().failures();

    private final long timeoutMillis;

    ShortLocks(Duration timeout) {
        this.timeoutMillis = timeout.toMillis();
    }

    /** Runs the work as one transaction; null if it would have had to wait too long for others. */
    <T> @Nullable T run(ConnectionProvider connections, ShortTransaction.Work<T> work) throws SQLException {
        try {
            return ShortTransaction.run(
                    connections,
                    conn -> ShortTransaction.atomically(conn, transaction -> {
                        // What the pool may have begun: the level can be chosen only at the beginning.
                        transaction.rollback();
                        JdbcTemplate.update(transaction, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
                        JdbcTemplate.update(transaction, "SET LOCAL lock_timeout = " + timeoutMillis);
                        return work.on(transaction);
                    }));
        } catch (SQLException e) {
            if (FAILURES.is(Failure.LOCK_TIMEOUT, e) || FAILURES.is(Failure.DEADLOCK, e)) {
                return null;
            }
            throw e;
        }
    }
}
