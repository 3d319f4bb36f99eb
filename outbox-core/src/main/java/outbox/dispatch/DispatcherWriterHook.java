package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.WriterHook;
import outbox.spi.MetricsExporter;

/**
 * The hot path: puts each committed event into the dispatcher's hot queue. An event that is refused stays NEW in the table, where
 * the poller finds it; that is logged and counted, and never fails the writer.
 */
public final class DispatcherWriterHook implements WriterHook {

    private static final Logger LOG = System.getLogger(DispatcherWriterHook.class.getName());

    private final OutboxDispatcher dispatcher;
    private final MetricsExporter metrics;

    /** Counts refused events with the dispatcher's own exporter. */
    public DispatcherWriterHook(OutboxDispatcher dispatcher) {
        this(dispatcher, dispatcher.metrics());
    }

    /** Counts refused events with the given exporter. */
    public DispatcherWriterHook(OutboxDispatcher dispatcher, MetricsExporter metrics) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
        this.metrics = Objects.requireNonNull(metrics, "metrics");
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            if (dispatcher.enqueueHot(new QueuedEvent(event, QueuedEvent.Source.HOT, 0))) {
                countEnqueued();
            } else {
                metrics.incrementHotDropped();
                LOG.log(Level.WARNING, "Hot queue refused {0}; it stays in the table for the poller", event);
            }
        }
    }

    /** The dispatcher counts with its own exporter; a hook that was given another one counts there as well. */
    private void countEnqueued() {
        if (metrics != dispatcher.metrics()) {
            metrics.incrementHotEnqueued();
        }
    }
}
