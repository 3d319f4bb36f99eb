package outbox.inbox;

import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Recognises work that the database rolled back in favour of somebody else's, so that it is worth doing again. */
final class Victims {

    static final int TRIES = 10;

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** SQL states of transactions that were rolled back: deadlocks and failed serialization. */
    private static final String ROLLED_BACK = "40";

    private Victims() {}

    /** Repeats something that is done in a transaction of its own. */
    static <T> T retry(Supplier<T> work) {
        for (int tries = 1; ; tries++) {
            try {
                return work.get();
            } catch (RuntimeException e) {
                if (tries == TRIES || !isVictim(e)) {
                    throw e;
                }
                pause();
            }
        }
    }

    static boolean isVictim(@Nullable Throwable failure) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e instanceof SQLException sql
                    && sql.getSQLState() != null
                    && sql.getSQLState().startsWith(ROLLED_BACK)) {
                return true;
            }
        }
        return false;
    }

    /** Two victims of each other that repeat in step would meet again. */
    static void pause() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
    }
}
