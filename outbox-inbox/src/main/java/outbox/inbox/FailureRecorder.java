package outbox.inbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.RetryPolicy;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.spi.ConsumeMetrics;

/** Records failures after the handler's transaction has been rolled back, and plans the retry. */
final class FailureRecorder {

    private static final Logger LOG = SafeLog.of(FailureRecorder.class);

    private final EventDedupRepository repository;
    private final ConsumeMetrics metrics;

    FailureRecorder(EventDedupRepository repository, ConsumeMetrics metrics) {
        this.repository = repository;
        this.metrics = metrics;
    }

    /**
     * Records that an attempt failed.
     *
     * @param lockedBy the attempt that holds the lease; null without one
     * @param failedBefore how often the event had failed before
     */
    void record(Arrival arrival, @Nullable String lockedBy, int failedBefore, Throwable failure) {
        int failures = failedBefore + 1;
        String summary = FailureSummary.of(failure, arrival.event());
        if (failures > arrival.options().maxRetry()) {
            recordExhausted(arrival, lockedBy, summary, failure);
        } else {
            metrics.incrementFailed(arrival.consumerGroup());
            Duration retryIn = retryIn(failures, arrival.options());
            LOG.log(
                    Level.WARNING,
                    "Failure {0} of {1}, retry in {2}: {3}",
                    failures,
                    arrival,
                    retryIn,
                    StoredText.inOneLine(summary));
            mark(arrival, lockedBy, summary, retryIn, failure);
        }
    }

    /** Doubled with each failure, without jitter: the options promise exactly these pauses. */
    static Duration retryIn(int failures, ConsumeOptions options) {
        RetryPolicy doubling = new ExponentialBackoffRetryPolicy(
                options.baseBackoff().toMillis(), options.maxBackoff().toMillis(), () -> 0.5);
        return Duration.ofMillis(doubling.computeDelayMs(failures));
    }

    /** Records that an event of a batch, which had no record before, made its transaction fail, and returns its result. */
    ConsumeResult recordInBatch(Arrival arrival, Throwable thrown) {
        Throwable failure = HandlerFailure.unwrap(thrown);
        record(arrival, null, 0, failure);
        HandlerFailure.keepInterrupt(failure);
        return ConsumeResult.failed(failure);
    }

    /** Records that no retry is left. */
    void recordExhausted(Arrival arrival, @Nullable String lockedBy, String summary, Throwable failure) {
        metrics.incrementExhausted(arrival.consumerGroup());
        int maxRetry = arrival.options().maxRetry();
        LOG.log(Level.ERROR, "{0} exceeded maxRetry {1}: {2}", arrival, maxRetry, StoredText.inOneLine(summary));
        mark(arrival, lockedBy, FailureSummary.limit("exceeded maxRetry " + maxRetry + ": " + summary), null, failure);
    }

    /**
     * If the failure cannot be recorded, the original reason must still reach the caller. The event is delivered again, or its lease expires.
     */
    private void mark(
            Arrival arrival, @Nullable String lockedBy, String text, @Nullable Duration retryIn, Throwable failure) {
        try {
            boolean keep = arrival.options().keepFailedEvents();
            MarkConsumeFailedCommand command = new MarkConsumeFailedCommand(
                    arrival.consumerGroup(), arrival.event(), lockedBy, text, retryIn, keep);
            if (!repository.markFailed(command)) {
                LOG.log(Level.WARNING, "The failure of {0} came too late to be recorded", arrival);
            }
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "Cannot record the failure of " + arrival, e);
            failure.addSuppressed(e);
        }
    }
}
