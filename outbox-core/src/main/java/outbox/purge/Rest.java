package outbox.purge;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The pause between two batches: as long as the batch took, so that purging takes at most half of the time, and takes longer the busier
 * the database is.
 */
final class Rest {

    private final Duration longest;
    private final CountDownLatch ended = new CountDownLatch(1);

    Rest(Duration longest) {
        this.longest = longest;
    }

    /** Pauses, and returns whether the pause came to its end; false if somebody has interrupted the thread or ended all rests. */
    boolean after(Duration batch) {
        Duration rest = batch.compareTo(longest) < 0 ? batch : longest;
        try {
            return !ended.await(rest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends the pause under way, and lets none begin. */
    void endAll() {
        ended.countDown();
    }
}
