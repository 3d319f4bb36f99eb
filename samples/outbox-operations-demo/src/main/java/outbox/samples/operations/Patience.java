package outbox.samples.operations;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for something to become true, and gives up after a while. */
final class Patience {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private Patience() {}

    /** @throws BrokenPromise if it has not become true within the limit */
    static void until(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > deadline) {
                throw new BrokenPromise("waited " + LIMIT.toSeconds() + " s, but not: " + what);
            }
            TimeUnit.NANOSECONDS.sleep(BETWEEN_LOOKS.toNanos());
        }
    }
}
