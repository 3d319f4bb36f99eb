package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.WriterHook;
import outbox.internal.GuardedMetrics;
import outbox.spi.MetricsExporter;

/**
 * The hot path: puts each committed event into the dispatcher's hot queue. An event that is refused stays NEW in the table, where
 * the poller finds it; that is logged and counted, and never fails the writer.
 *
 * <p>A hook of your own that wraps this one must pass on all methods: {@code afterWrite} tells the dispatcher that the event is about
 * to come, so that it is not delivered twice if the poller finds it first.
 */
public final class DispatcherWriterHook implements WriterHook {

    private static final Logger LOG = System.getLogger(DispatcherWriterHook.class.getName());

    private final OutboxDispatcher dispatcher;
    private final MetricsExporter exporter;
    private final MetricsExporter metrics;

    /** Counts refused events with the dispatcher's own exporter. */
    public DispatcherWriterHook(OutboxDispatcher dispatcher) {
        this(dispatcher, dispatcher.exporter());
    }

    /** Counts refused events with the given exporter. */
    public DispatcherWriterHook(OutboxDispatcher dispatcher, MetricsExporter metrics) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
        this.exporter = Objects.requireNonNull(metrics, "metrics");
        this.metrics = new GuardedMetrics(exporter);
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        events.forEach(event -> dispatcher.inFlight().announce(event.eventId()));
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        events.forEach(event -> dispatcher.inFlight().withdraw(event.eventId()));
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            if (enqueue(event)) {
                countEnqueued();
            } else {
                metrics.incrementHotDropped();
                LOG.log(Level.WARNING, "Hot queue refused {0}; it stays in the table for the poller", event);
            }
        }
    }

    /** Whatever goes wrong with one event must not keep the others of its batch from the queue. */
    private boolean enqueue(EventEnvelope event) {
        try {
            return dispatcher.enqueueHot(new QueuedEvent(event, QueuedEvent.Source.HOT, 0));
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "Cannot queue " + event, e);
            return false;
        }
    }

    /** The dispatcher counts with its own exporter; a hook that was given another one counts there as well. */
    private void countEnqueued() {
        if (exporter != dispatcher.exporter()) {
            metrics.incrementHotEnqueued();
        }
    }
}
