package outbox.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Receives what happens as numbers. Called from many threads; must be quick. */
public interface MetricsExporter extends LeaseMetrics, EventMetrics, ListenerMetrics {

    /** Ignores everything. */
    MetricsExporter NOOP = new Noop();

    /** An event entered the hot queue. */
    void incrementHotEnqueued();

    /** The hot queue refused an event; the poller will find it in the table. */
    void incrementHotDropped();

    /** An event entered the cold queue. */
    void incrementColdEnqueued();

    /** An event was delivered and its DONE mark is durable. */
    void incrementDispatchSuccess();

    /** A delivery failed and will be retried. */
    void incrementDispatchFailure();

    /** An event ended DEAD. */
    void incrementDispatchDead();

    /** The number of events waiting in each queue; reported after every change. */
    void recordQueueDepths(int hotDepth, int coldDepth);

    /**
     * The age of the oldest event that a poll found or that, with leases, this process holds; 0 when there is none. Combine the numbers of several
     * processes with their maximum.
     */
    void recordOldestLagMs(long lagMs);

    /** Ignores everything; extend it to receive only some of the numbers. */
    class Noop implements MetricsExporter {

        /** Creates an exporter that ignores everything. */
        public Noop() {}

        @Override
        public void incrementHotEnqueued() {}

        @Override
        public void incrementHotDropped() {}

        @Override
        public void incrementColdEnqueued() {}

        @Override
        public void incrementDispatchSuccess() {}

        @Override
        public void incrementDispatchFailure() {}

        @Override
        public void incrementDispatchDead() {}

        @Override
        public void recordQueueDepths(int hotDepth, int coldDepth) {}

        @Override
        public void recordOldestLagMs(long lagMs) {}

        @Override
        public void incrementOutcomeTooLate() {}

        @Override
        public void eventWritten(String eventType) {}

        @Override
        public void eventDispatched(String eventType, Result result, Duration time) {}

        @Override
        public void eventDead(String eventType) {}

        @Override
        public void eventWritten(String eventType, @Nullable String tenantId) {
            eventWritten(eventType);
        }

        @Override
        public void eventStarted(String eventType, Path path, Duration waited) {}

        @Override
        public void eventDispatched(String eventType, @Nullable String tenantId, Result result, Duration time) {
            eventDispatched(eventType, result, time);
        }

        @Override
        public void eventDead(String eventType, @Nullable String tenantId) {
            eventDead(eventType);
        }
    }
}
