package outbox.samples.demo;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import outbox.spi.MetricsExporter;

/** Counts what the dispatcher reports, and lets a chapter wait for a number instead of sleeping and hoping. */
final class DispatchCounts extends MetricsExporter.Noop {

    /** What is counted. */
    enum Kind {
        REFUSED_BY_HOT_QUEUE,
        FOUND_BY_POLLER,
        DONE,
        DEAD
    }

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);

    @Override
    public void incrementHotDropped() {
        count(Kind.REFUSED_BY_HOT_QUEUE);
    }

    @Override
    public void incrementColdEnqueued() {
        count(Kind.FOUND_BY_POLLER);
    }

    @Override
    public void incrementDispatchSuccess() {
        count(Kind.DONE);
    }

    @Override
    public void incrementDispatchDead() {
        count(Kind.DEAD);
    }

    synchronized int of(Kind kind) {
        return counts.getOrDefault(kind, 0);
    }

    /**
     * Waits until that many were counted.
     *
     * @throws BrokenPromise if it takes too long
     */
    synchronized void await(Kind kind, int wanted) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (of(kind) < wanted) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new BrokenPromise("waited " + PATIENCE.toSeconds() + " s for " + wanted + " events to be " + kind
                        + ", counted " + of(kind));
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private synchronized void count(Kind kind) {
        counts.merge(kind, 1, Integer::sum);
        notifyAll();
    }
}
