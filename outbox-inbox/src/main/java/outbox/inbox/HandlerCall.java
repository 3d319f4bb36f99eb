package outbox.inbox;

import java.time.Duration;
import outbox.spi.ConsumeMetrics;

/** Calls handlers and measures how long they take. */
final class HandlerCall {

    private final ConsumeMetrics metrics;

    HandlerCall(ConsumeMetrics metrics) {
        this.metrics = metrics;
    }

    /** What is done with an event or with several. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /** @throws HandlerFailure with whatever the handler threw */
    void run(Arrival arrival) {
        run(arrival.consumerGroup(), () -> arrival.handler().handle(arrival.event()));
    }

    /** @throws HandlerFailure with whatever the handler threw */
    void run(String consumerGroup, Work handler) {
        long begin = System.nanoTime();
        try {
            handler.run();
        } catch (Throwable e) {
            throw new HandlerFailure(e);
        } finally {
            metrics.recordHandlerLatency(consumerGroup, Duration.ofNanos(System.nanoTime() - begin));
        }
    }
}
