package outbox;

import java.util.List;
import outbox.internal.GuardedMetrics;
import outbox.spi.EventMetrics;
import outbox.spi.MetricsExporter;

/** Counts committed events where nobody delivers them: the hook of a process that delivers counts them itself. */
record CountingHook(EventMetrics metrics) implements WriterHook {

    static WriterHook of(MetricsExporter metrics) {
        return metrics == MetricsExporter.NOOP ? NOOP : new CountingHook(GuardedMetrics.of(metrics));
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        events.forEach(event -> metrics.eventWritten(event.eventType(), event.tenantId()));
    }
}
