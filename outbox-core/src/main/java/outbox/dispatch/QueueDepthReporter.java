package outbox.dispatch;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import outbox.spi.MetricsExporter;

/**
 * Reports the depths of the queues after each change, such that the last report is always the latest state. Reports from
 * several threads could overtake each other and leave a stale number standing; here one thread at a time reports, and a
 * change that comes meanwhile makes it look again.
 */
final class QueueDepthReporter {

    private final IntSupplier hotDepth;
    private final IntSupplier coldDepth;
    private final MetricsExporter metrics;
    private final AtomicInteger changes = new AtomicInteger();

    QueueDepthReporter(IntSupplier hotDepth, IntSupplier coldDepth, MetricsExporter metrics) {
        this.hotDepth = hotDepth;
        this.coldDepth = coldDepth;
        this.metrics = metrics;
    }

    void changed() {
        if (changes.getAndIncrement() != 0) {
            return;
        }
        int seen;
        do {
            seen = changes.get();
            metrics.recordQueueDepths(hotDepth.getAsInt(), coldDepth.getAsInt());
        } while (changes.addAndGet(-seen) != 0);
    }
}
