package outbox.inbox;

import java.time.Duration;
import outbox.spi.ConsumeMetrics;

/** Calls handlers and takes their time. */
final class HandlerCall {

    private final ConsumeMetrics metrics;

    HandlerCall(ConsumeMetrics metrics) {
        this.metrics = metrics;
    }

    /** @throws HandlerFailure with whatever the handler threw */
    void run(Arrival arrival) {
        long begin = System.nanoTime();
        try {
            arrival.handler().handle(arrival.event());
        } catch (Throwable e) {
            throw new HandlerFailure(e);
        } finally {
            metrics.recordHandlerLatency(arrival.consumerGroup(), Duration.ofNanos(System.nanoTime() - begin));
        }
    }
}
