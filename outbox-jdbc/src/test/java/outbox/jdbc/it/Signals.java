package outbox.jdbc.it;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import outbox.spi.MetricsExporter;

import static org.assertj.core.api.Assertions.assertThat;

/** Metrics that a test can wait for. */
final class Signals extends MetricsExporter.Noop {

    enum Kind {
        POLLED,
        HOT_ENQUEUED,
        HOT_DROPPED,
        COLD_ENQUEUED,
        SUCCESS,
        FAILURE,
        DEAD
    }

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);

    synchronized int count(Kind kind) {
        return counts.getOrDefault(kind, 0);
    }

    /** Waits until the count has been reached, and fails if that takes too long. */
    synchronized void await(Kind kind, int count) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (count(kind) < count) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            assertThat(left)
                    .as("time left to see %d × %s, have %s", count, kind, counts)
                    .isPositive();
            wait(left);
        }
    }

    private synchronized void add(Kind kind) {
        counts.merge(kind, 1, Integer::sum);
        notifyAll();
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        add(Kind.POLLED);
    }

    @Override
    public void incrementHotEnqueued() {
        add(Kind.HOT_ENQUEUED);
    }

    @Override
    public void incrementHotDropped() {
        add(Kind.HOT_DROPPED);
    }

    @Override
    public void incrementColdEnqueued() {
        add(Kind.COLD_ENQUEUED);
    }

    @Override
    public void incrementDispatchSuccess() {
        add(Kind.SUCCESS);
    }

    @Override
    public void incrementDispatchFailure() {
        add(Kind.FAILURE);
    }

    @Override
    public void incrementDispatchDead() {
        add(Kind.DEAD);
    }
}
