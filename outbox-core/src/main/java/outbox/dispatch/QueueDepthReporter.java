package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;
import outbox.spi.MetricsExporter;

/**
 * Reports the depths of the queues after each change, such that the last report is always the latest state. Reports from
 * several threads could overtake each other and leave a stale number standing; here one thread at a time reports, and a
 * change that comes meanwhile makes it look again.
 */
final class QueueDepthReporter {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

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
            report();
        } while (changes.addAndGet(-seen) != 0);
    }
    /** Were it to fail, nobody would ever report again. */
    private void report() {
        try {
            metrics.recordQueueDepths(hotDepth.getAsInt(), coldDepth.getAsInt());
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "Cannot report the depths of the queues", LoggedError.of(e));
        }
    }
}
