package outbox.internal;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Repeats work that the database rolled back in favour of somebody else's: a deadlock or a failed serialization. Nothing of it was done,
 * so it is worth doing again; a few times, because one that loses again and again has another reason.
 */
public final class Victims {

    /** How often work is tried in all. */
    public static final int TRIES = 10;

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private Victims() {}

    /** What is repeated: all of it. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws SQLException;
    }

    /** Asked after a failure: whether what was rolled back is all that the work has done. */
    @FunctionalInterface
    public interface Condition {
        boolean holds() throws SQLException;
    }

    /** Repeats the work as long as it is a victim and the condition holds. */
    public static <T> T repeat(Work<T> work, Condition mayBeRepeated) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return work.run();
            } catch (SQLException | RuntimeException e) {
                if (!isVictim(e) || !mayBeRepeated.holds()) {
                    throw e;
                }
                if (tries == TRIES) {
                    e.addSuppressed(new Hopeless());
                    throw e;
                }
            }
            pause();
        }
    }

    /** Whether the database rolled the work back in favour of somebody else's, and nobody has repeated it in vain already. */
    public static boolean isVictim(@Nullable Throwable failure) {
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

    /** Tells those who read the failure that it was no single misfortune, and those who would repeat the work around it not to. */
    private static final class Hopeless extends Exception {

        private static final long serialVersionUID = 1L;

        Hopeless() {
            super("The database has rolled this back " + TRIES + " times in a row", null, false, false);
        }
    }

    /** Two victims of each other that repeat in step would meet again. */
    public static void pause() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
    }
}
