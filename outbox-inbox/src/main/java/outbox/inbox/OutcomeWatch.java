package outbox.inbox;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits for the outcome of another consumer's attempt. There is no signal across processes, so it reads the record from time to time. */
final class OutcomeWatch {

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final EventDedupRepository repository;

    OutcomeWatch(EventDedupRepository repository) {
        this.repository = repository;
    }

    /**
     * Waits until the event has been handled or the time is up.
     *
     * @param retryIn what to answer when the time is up
     * @throws EventConsumeFailedException if the other attempt failed
     */
    ConsumeResult await(Arrival arrival, @Nullable Duration retryIn) {
        long deadline = System.nanoTime() + arrival.options().waitMax().toNanos();
        long pause = FIRST_PAUSE_NANOS;
        while (true) {
            if (isHandled(arrival)) {
                return ConsumeResult.REPLAYED;
            }
            long left = deadline - System.nanoTime();
            if (left <= 0 || !slept(Math.min(pause, left))) {
                return ConsumeResult.inProgress(retryIn);
            }
            pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
        }
    }

    private boolean isHandled(Arrival arrival) {
        Optional<ConsumeRecord> record =
                repository.find(arrival.consumerGroup(), arrival.event().eventId());
        if (record.isPresent() && record.get().status() == ConsumeStatus.FAILED) {
            throw new EventConsumeFailedException(
                    "Another consumer failed to handle " + arrival + ": "
                            + record.get().errorMsg(),
                    null);
        }
        return record.isPresent() && record.get().status() == ConsumeStatus.SUCCEEDED;
    }

    private static boolean slept(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
