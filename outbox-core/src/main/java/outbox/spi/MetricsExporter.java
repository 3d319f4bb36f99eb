package outbox.spi;

/** Receives what happens as numbers. Called from many threads; must be quick. */
public interface MetricsExporter extends LeaseMetrics, EventMetrics {

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

    /** The age of the oldest event that a poll found; 0 when it found none. */
    void recordOldestLagMs(long lagMs);

    /** Ignores everything; extend it to listen to a few of the numbers only. */
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
    }
}
