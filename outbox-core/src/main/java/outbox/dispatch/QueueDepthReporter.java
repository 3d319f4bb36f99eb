package outbox.dispatch;

import java.util.concurrent.atomic.AtomicInteger;
import outbox.spi.MetricsExporter;

/**
 * Reports the depths of the queues after each change, such that the last report is always the latest state. Reports from
 * several threads could overtake each other and leave a stale number standing; here one thread at a time reports, and a
 * change that comes meanwhile makes it look again.
 */
final class QueueDepthReporter {

    private final FairEventQueue queue;
    private final MetricsExporter metrics;
    private final AtomicInteger changes = new AtomicInteger();

    QueueDepthReporter(FairEventQueue queue, MetricsExporter metrics) {
        this.queue = queue;
        this.metrics = metrics;
    }

    void changed() {
        if (changes.getAndIncrement() != 0) {
            return;
        }
        int seen;
        do {
            seen = changes.get();
            metrics.recordQueueDepths(queue.hotDepth(), queue.coldDepth());
        } while (changes.addAndGet(-seen) != 0);
    }
}
