package outbox.testsupport;

import java.time.Duration;
import outbox.spi.MetricsExporter;

/** Throws whatever it is told. */
public final class FailingMetrics implements MetricsExporter {

    @Override
    public void incrementHotEnqueued() {
        throw fail();
    }

    @Override
    public void incrementHotDropped() {
        throw fail();
    }

    @Override
    public void incrementColdEnqueued() {
        throw fail();
    }

    @Override
    public void incrementDispatchSuccess() {
        throw fail();
    }

    @Override
    public void incrementDispatchFailure() {
        throw fail();
    }

    @Override
    public void incrementDispatchDead() {
        throw fail();
    }

    @Override
    public void incrementOutcomeTooLate() {
        throw fail();
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        throw fail();
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        throw fail();
    }

    @Override
    public void eventWritten(String eventType) {
        throw fail();
    }

    @Override
    public void eventStarted(String eventType, Path path, Duration waited) {
        throw fail();
    }

    @Override
    public void eventDispatched(String eventType, Result result, Duration time) {
        throw fail();
    }

    @Override
    public void eventDead(String eventType) {
        throw fail();
    }

    private static IllegalStateException fail() {
        return new IllegalStateException("metrics are broken");
    }
}
