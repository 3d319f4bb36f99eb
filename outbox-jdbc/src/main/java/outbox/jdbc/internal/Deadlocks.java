package outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Repeats work that the database chose as the victim of a deadlock. It has rolled the work back, so nothing was done; but in a
 * transaction of the caller the caller's own work is gone with it, and only the caller can repeat that.
 */
public final class Deadlocks {

    private static final int TRIES = 10;
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** SQL states of transactions that were rolled back: deadlocks and failed serialization. */
    private static final String ROLLED_BACK = "40";

    /** A lock that MySQL's driver reports with the same state after the server waited for it in vain; waiting again would not help. */
    private static final int LOCK_WAIT_TIMEOUT = 1205;

    private Deadlocks() {}

    /** What is repeated: all of it. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws SQLException;
    }

    /** Repeats work on a connection, unless that is in a transaction of the caller. */
    public static <T> T retry(Connection conn, Work<T> work) throws SQLException {
        return retry(work, conn::getAutoCommit);
    }

    /** Repeats work that has a transaction of its own. */
    public static <T> T retryTransaction(Work<T> work) throws SQLException {
        return retry(work, () -> true);
    }

    private static <T> T retry(Work<T> work, Work<Boolean> mayBeRepeated) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return work.run();
            } catch (SQLException e) {
                if (tries == TRIES || !isVictim(e) || !mayBeRepeated.run()) {
                    throw e;
                }
                // Two victims of each other that repeat in step would meet again.
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
            }
        }
    }

    private static boolean isVictim(SQLException e) {
        return e.getSQLState() != null
                && e.getSQLState().startsWith(ROLLED_BACK)
                && e.getErrorCode() != LOCK_WAIT_TIMEOUT;
    }
}
