package outbox.internal.transaction;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Repeats work that the database rolled back in favour of another transaction: a deadlock or a failed serialization. Nothing of it was
 * committed, so it is worth repeating; only a few times, because work that loses again and again must have another problem.
 */
public final class RolledBackWork {

    /** How often work is tried in total. */
    public static final int TRIES = 10;

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private RolledBackWork() {}

    /** The work, which is repeated as a whole. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws SQLException;
    }

    /** Asked after a failure: whether everything that the work did has been rolled back. */
    @FunctionalInterface
    public interface Condition {
        boolean holds() throws SQLException;
    }

    /** Does the work, and repeats it as long as it is rolled back and the condition holds. */
    public static <T> T repeat(Work<T> work, Condition mayBeRepeated) throws SQLException {
        try {
            return work.run();
        } catch (SQLException | RuntimeException e) {
            return repeatAfter(e, work, mayBeRepeated);
        }
    }

    /** As {@link #repeat}, after the first try has failed. */
    public static <T> T repeatAfter(Exception first, Work<T> work, Condition mayBeRepeated) throws SQLException {
        Exception failure = first;
        for (int tries = 1; tries < TRIES && isWorthRepeating(failure) && mayBeRepeated.holds(); tries++) {
            pause();
            try {
                return work.run();
            } catch (SQLException | RuntimeException e) {
                failure = e;
            }
        }
        if (isWorthRepeating(failure) && mayBeRepeated.holds()) {
            failure.addSuppressed(new Hopeless());
        }
        if (failure instanceof SQLException e) {
            throw e;
        }
        throw (RuntimeException) failure;
    }

    /** Whether the database rolled the work back in favour of another transaction, and repeating it has not already been given up. */
    public static boolean isWorthRepeating(@Nullable Throwable failure) {
        return DatabaseFailure.of(failure) == DatabaseFailure.ROLLED_BACK && !isHopeless(failure);
    }

    private static boolean isHopeless(@Nullable Throwable failure) {
        Throwable e = failure;
        for (int depth = 0; e != null && depth < DatabaseFailure.DEEPEST_CAUSE; depth++, e = e.getCause()) {
            if (Arrays.stream(e.getSuppressed()).anyMatch(Hopeless.class::isInstance)) {
                return true;
            }
        }
        return false;
    }

    /** Tells readers of the failure that it did not happen just once, and callers that repeating the work is useless. */
    private static final class Hopeless extends Exception {

        private static final long serialVersionUID = 1L;

        Hopeless() {
            super("The database has rolled this back " + TRIES + " times in a row", null, false, false);
        }
    }

    /** A random pause: two transactions that repeat in step would collide again. */
    public static void pause() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
    }
}
