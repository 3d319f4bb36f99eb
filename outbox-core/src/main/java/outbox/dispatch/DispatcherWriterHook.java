package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.WriterHook;
import outbox.internal.ContentMask;
import outbox.internal.GuardedMetrics;
import outbox.internal.LoggedError;
import outbox.spi.LeaseStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore;

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

    /** As many as the hot queue has room for belong to this process from the beginning; the others are free for whoever polls first. */
    @Override
    public void insert(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        if (dispatcher.isOrdered()) {
            insertOrdered(store, conn, events);
        } else {
            insertUnordered(store, conn, events);
        }
    }

    /** All together or none: a part that is inserted before the others would get before them in order as well. */
    private void insertOrdered(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        OrderedStore ordered = canBeOurs() && events.size() <= dispatcher.hotRoom() ? store.ordered() : null;
        if (ordered == null) {
            store.insertBatch(conn, events);
        } else {
            dispatcher.leases().insertOrdered(ordered, conn, events);
        }
    }

    private boolean canBeOurs() {
        return dispatcher.leases().canInsert() && dispatcher.acceptsHot();
    }

    private void insertUnordered(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        LeaseStore leaseStore = canBeOurs() ? store.leases() : null;
        int ours = leaseStore == null ? 0 : Math.max(0, Math.min(events.size(), dispatcher.hotRoom()));
        // First the others: should that fail, nobody would tell us of the end of the transaction, and leases would
        // stay.
        if (ours < events.size()) {
            store.insertBatch(conn, events.subList(ours, events.size()));
        }
        if (leaseStore != null && ours > 0) {
            dispatcher.leases().insert(leaseStore, conn, events.subList(0, ours));
        }
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            if (mayBecomeHot(event)) {
                dispatcher.inFlight().announce(event.eventId());
            }
        }
    }

    /** One that was not leased will not come, and must not take the place of another one in the queue. */
    private boolean mayBecomeHot(EventEnvelope event) {
        return !needsLease() || dispatcher.leases().held(event.eventId()) != null;
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            dispatcher.leases().forget(event.eventId());
            dispatcher.inFlight().withdraw(event.eventId());
        }
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            metrics.eventWritten(event.eventType());
            boolean held = dispatcher.leases().held(event.eventId()) != null;
            if (!held && !dispatcher.acceptsHot()) {
                dispatcher.inFlight().withdraw(event.eventId());
            } else if (!held && dispatcher.isOrdered()) {
                dispatcher.inFlight().withdraw(event.eventId());
                dispatcher.pollRequests().hotRefused(); // its turn comes after that of another one
            } else if (isOurs(event) && enqueue(event)) {
                countEnqueued();
            } else {
                leaveToPoller(event);
                metrics.incrementHotDropped();
                LOG.log(
                        Level.WARNING,
                        "Hot queue refused " + dispatcher.names().of(event) + "; it stays in the table for the poller");
            }
        }
    }

    /** In a table that is shared, an event that is not leased may be on its way elsewhere already. */
    private boolean isOurs(EventEnvelope event) {
        return !needsLease() || dispatcher.leases().committed(event.eventId());
    }

    private boolean needsLease() {
        return dispatcher.isOrdered() || dispatcher.leases().isOn();
    }

    /** If the poller was quicker it is on its way already, and its lease is needed. */
    private void leaveToPoller(EventEnvelope event) {
        dispatcher.inFlight().withdraw(event.eventId());
        try {
            if (dispatcher.inFlight().tryAcquire(event.eventId())) {
                dispatcher.leases().giveBack(event.eventId());
                dispatcher.inFlight().release(event.eventId());
            }
        } catch (RuntimeException e) {
            LOG.log(
                    Level.ERROR,
                    "Cannot ask whether " + dispatcher.names().of(event) + " is on its way",
                    LoggedError.of(e, ContentMask.of(event)));
            dispatcher.leases().giveBack(event.eventId());
        }
        dispatcher.pollRequests().hotRefused();
    }

    /** Whatever goes wrong with one event must not keep the others of its batch from the queue. */
    private boolean enqueue(EventEnvelope event) {
        try {
            return dispatcher.enqueueHot(new QueuedEvent(event, QueuedEvent.Source.HOT, 0));
        } catch (RuntimeException e) {
            LOG.log(
                    Level.ERROR,
                    "Cannot queue " + dispatcher.names().of(event),
                    LoggedError.of(e, ContentMask.of(event)));
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
