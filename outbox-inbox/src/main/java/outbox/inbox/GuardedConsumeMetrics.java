package outbox.inbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import outbox.internal.text.SafeLog;
import outbox.spi.ConsumeMetrics;

/** Passes everything on to metrics and logs what those throw: losing a number must not lose an event. */
final class GuardedConsumeMetrics implements ConsumeMetrics {

    private static final Logger LOG = SafeLog.of(GuardedConsumeMetrics.class);

    private final ConsumeMetrics metrics;

    GuardedConsumeMetrics(ConsumeMetrics metrics) {
        this.metrics = metrics;
    }

    @Override
    public void incrementAcquired(String consumerGroup) {
        report(() -> metrics.incrementAcquired(consumerGroup));
    }

    @Override
    public void incrementReplayed(String consumerGroup) {
        report(() -> metrics.incrementReplayed(consumerGroup));
    }

    @Override
    public void incrementInProgress(String consumerGroup) {
        report(() -> metrics.incrementInProgress(consumerGroup));
    }

    @Override
    public void incrementFailed(String consumerGroup) {
        report(() -> metrics.incrementFailed(consumerGroup));
    }

    @Override
    public void incrementExhausted(String consumerGroup) {
        report(() -> metrics.incrementExhausted(consumerGroup));
    }

    @Override
    public void incrementLeaseLost(String consumerGroup) {
        report(() -> metrics.incrementLeaseLost(consumerGroup));
    }

    @Override
    public void recordHandlerLatency(String consumerGroup, Duration latency) {
        report(() -> metrics.recordHandlerLatency(consumerGroup, latency));
    }

    private static void report(Runnable number) {
        try {
            number.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "ConsumeMetrics failed", e);
        }
    }
}
