package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.WriterHook;
import outbox.internal.ContentMask;
import outbox.internal.GuardedMetrics;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;
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

    private static final Logger LOG = SafeLog.of(DispatcherWriterHook.class);

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

    /** The delays of a table that nobody else reads are reckoned by the clock of who reads it: this process. */
    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        if (needsLease() || events.stream().allMatch(event -> event.deliverAfter() == null)) {
            return events;
        }
        Instant now = dispatcher.clock().instant();
        return events.stream().map(event -> dueByOwnClock(event, now)).toList();
    }

    private static EventEnvelope dueByOwnClock(EventEnvelope event, Instant now) {
        Duration delay = event.deliverAfter();
        if (delay == null) {
            return event;
        }
        return EventEnvelope.builder(event.eventType())
                .eventId(event.eventId())
                .occurredAt(event.occurredAt())
                .aggregateType(event.aggregateType())
                .aggregateId(event.aggregateId())
                .tenantId(event.tenantId())
                .headers(event.headers())
                .payloadJson(event.payloadJson())
                .availableAt(now.plus(delay))
                .build();
    }

    /** As {@link #insert}, for those of the events whose id is not there yet. In one piece, so that a duplicate can undo all of it. */
    @Override
    public List<WriteReceipt> insertOnce(
            OutboxStore store, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        if (dispatcher.isOrdered()) {
            OrderedStore ordered = orderedFor(store, events);
            return ordered == null
                    ? store.insertOnce(conn, events, policy)
                    : dispatcher.leases().insertOnceOrdered(ordered, conn, events, policy);
        }
        LeaseStore leaseStore = canBeOurs() ? store.leases() : null;
        Set<String> ours =
                leaseStore == null ? Set.of() : ids(dispatcher.hotRoom().firstOf(events));
        return leaseStore == null || ours.isEmpty()
                ? store.insertOnce(conn, events, policy)
                : dispatcher.leases().insertOnce(leaseStore, conn, events, policy, ours);
    }

    /** Told apart by identity: the same id twice is for the database to refuse. */
    private static List<EventEnvelope> without(List<EventEnvelope> ours, List<EventEnvelope> events) {
        Set<EventEnvelope> leased = Collections.newSetFromMap(new IdentityHashMap<>());
        leased.addAll(ours);
        return events.stream().filter(event -> !leased.contains(event)).toList();
    }

    private static Set<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).collect(Collectors.toSet());
    }

    /** All together or none: a part that is inserted before the others would get before them in order as well. */
    private void insertOrdered(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        OrderedStore ordered = orderedFor(store, events);
        if (ordered == null) {
            store.insertBatch(conn, events);
        } else {
            dispatcher.leases().insertOrdered(ordered, conn, events);
        }
    }

    private @Nullable OrderedStore orderedFor(OutboxStore store, List<EventEnvelope> events) {
        return canBeOurs() && dispatcher.hotRoom().hasRoomFor(events) ? store.ordered() : null;
    }

    private boolean canBeOurs() {
        return dispatcher.leases().canInsert() && dispatcher.acceptsHot();
    }

    private void insertUnordered(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        LeaseStore leaseStore = canBeOurs() ? store.leases() : null;
        List<EventEnvelope> ours =
                leaseStore == null ? List.of() : dispatcher.hotRoom().firstOf(events);
        // First the others: should that fail, nobody would tell us of the end of the transaction, and leases would
        // stay.
        if (ours.size() < events.size()) {
            store.insertBatch(conn, without(ours, events));
        }
        if (leaseStore != null && !ours.isEmpty()) {
            dispatcher.leases().insert(leaseStore, conn, ours);
        }
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            if (mayBecomeHot(event)) {
                dispatcher.inFlight().announce(event.eventId(), event.sizeInMemory());
            }
        }
    }

    /** One that was not leased will not come, and must not take the place of another one in the queue. */
    private boolean mayBecomeHot(EventEnvelope event) {
        return !event.isDelayed() && (!needsLease() || dispatcher.leases().held(event.eventId()) != null);
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            dispatcher.leases().forget(event.eventId());
            dispatcher.inFlight().withdraw(event.eventId());
        }
    }

    /** Whatever goes wrong with one event must not keep the others from the queue. */
    @Override
    public void afterCommit(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            try {
                committed(event);
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "Cannot take an event over after its commit", LoggedError.of(e));
                letGo(event);
            }
        }
    }

    private void committed(EventEnvelope event) {
        metrics.eventWritten(event.eventType());
        boolean held = dispatcher.leases().held(event.eventId()) != null;
        if (event.isDelayed()) {
            pollWhenDue(event);
        } else if (!held && !dispatcher.acceptsHot()) {
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

    /** A lease that is not renewed expires, should it not be possible to give it back. */
    private void letGo(EventEnvelope event) {
        try {
            leaveToPoller(event);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot leave an event to the poller; its lease expires later", LoggedError.of(e));
        }
    }

    private void pollWhenDue(EventEnvelope event) {
        if (event.deliverAfter() != null) {
            dispatcher.dueTimes().addAfter(event.deliverAfter()); // the delay began with the insert
        } else if (event.availableAt() != null) {
            dispatcher.dueTimes().add(event.availableAt());
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
        } catch (Throwable e) {
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
