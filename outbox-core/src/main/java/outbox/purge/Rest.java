package outbox.purge;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The pause between two batches: as long as the batch took, so that purging is active at most half of the time and slows down when the
 * database is busy.
 */
final class Rest {

    private final Duration longest;
    private final CountDownLatch ended = new CountDownLatch(1);

    Rest(Duration longest) {
        this.longest = longest;
    }

    /** Pauses; returns false if the pause was cut short because the thread was interrupted or all rests were ended. */
    boolean after(Duration batch) {
        Duration rest = batch.compareTo(longest) < 0 ? batch : longest;
        try {
            return !ended.await(rest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends the current pause, and any later one at once. */
    void endAll() {
        ended.countDown();
    }
}
