package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.lease.InsertedLease;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.LeasesEnded;
import outbox.internal.text.ContentMask;
import outbox.internal.text.EventNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.spi.OutboxStore;

/** The way of an event that is written here, from its insert to the hot queue; told by the writer's hook what happened. */
final class HotPath {

    /** What becomes of an event after its commit. */
    enum Fate {
        /** It waits for a worker. */
        QUEUED,
        /** Its time or its turn has not come, or it is left to another process: a poll will find it. */
        LATER,
        /** It could have gone at once, but there was no room: a poll will find it. */
        REFUSED
    }

    private static final Logger LOG = SafeLog.of(DispatcherWriterHook.class);

    /** After which an event is looked for that comes behind one of another process. */
    private static final Duration OTHERS_MAY_DELIVER_WITHIN = Duration.ofMillis(100);

    private final Intake intake;
    private final EventQueues queues;
    private final LeaseBook leases;
    private final PollRequests pollRequests;
    private final EventNames names;
    private final Listeners listeners;
    private final BooleanSupplier canWork;
    private final HotInserts inserts;
    private final Runnable renewSoon;
    private final Clock clock;
    private final HotInserts.Settings insertSettings;

    /** Events whose transactions were open for longer than a lease; what can be renewed is still ours. */
    private final Map<String, EventEnvelope> overdue = new ConcurrentHashMap<>();

    private volatile BooleanSupplier active = () -> true;
    private volatile @Nullable JoinedEvents joinedEvents;

    /**
     * @param canWork whether events that are written now can be delivered and recorded here
     * @param renewSoon called when events are overdue
     */
    HotPath(EventFlow.Parts parts, FlowSettings settings, BooleanSupplier canWork, Runnable renewSoon) {
        this.intake = parts.intake();
        this.queues = parts.queues();
        this.leases = parts.leases();
        this.pollRequests = parts.pollRequests();
        this.names = settings.names();
        this.listeners = settings.listeners();
        this.canWork = canWork;
        this.renewSoon = renewSoon;
        this.clock = settings.clock();
        this.insertSettings = new HotInserts.Settings(clock, settings.transforms());
        this.inserts =
                insertsFor(this::room, (event, since, turnKnown) -> leases.inserted(event.eventId(), since, turnKnown));
    }

    /** How events are inserted as ours as far as the given room goes. */
    HotInserts insertsFor(Supplier<HotInserts.Room> room, HotInserts.Born born) {
        return new HotInserts(leases, queues.isOrdered() ? intake.shares() : null, room, insertSettings, born);
    }

    /** Leaves events to another process while this is false. */
    void goOnlyWhile(BooleanSupplier condition) {
        active = condition;
    }

    /** Has events looked for of which nobody knows whether they were committed. */
    void looksWith(JoinedEvents joined) {
        joinedEvents = joined;
    }

    boolean isActive() {
        return active.getAsBoolean();
    }

    /** What more may be written as ours; events that are being written have their place already. */
    HotInserts.Room room() {
        return roomOf(
                queues.room(Source.HOT) - intake.announcedCount(),
                queues.bytesLeft(Source.HOT) - intake.announcedBytes());
    }

    /** That much, unless nothing can be delivered here, or not by this process. */
    HotInserts.Room roomOf(int events, long bytes) {
        return canWork.getAsBoolean() && isActive()
                ? new HotInserts.Room(events, bytes, this::staysInTable)
                : HotInserts.Room.NONE;
    }

    /** Whether others are to deliver the event: nobody here listens to it or to one before it. */
    private boolean staysInTable(EventEnvelope event) {
        return listeners.waits(event) || (queues.isOrdered() && isBehindWaiting(event));
    }

    /** Whether an event of the same key waits for another process, as far as is known here. */
    private boolean isBehindWaiting(EventEnvelope event) {
        WaitingRoutes waiting = listeners.waiting();
        return waiting != null && waiting.isWaiting(keyOf(event));
    }

    private static @Nullable AggregateKey keyOf(EventEnvelope event) {
        return AggregateKey.of(event.aggregateType(), event.aggregateId());
    }

    /** Events as they are to be inserted. */
    List<EventEnvelope> prepare(List<EventEnvelope> events) {
        return inserts.prepare(events);
    }

    /** Inserts events, as many of them as ours as have room here. */
    void insert(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        inserts.insert(store, conn, events);
    }

    /** As {@link #insert}, for those of the events whose id is not there yet. */
    List<WriteReceipt> insertOnce(
            OutboxStore store, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        return inserts.insertOnce(store, conn, events, policy);
    }

    /** The events were inserted and may be committed. One that was not leased will not come, and must not take the place of another one. */
    void inserted(List<EventEnvelope> events) {
        JoinedEvents joined = joinedEvents;
        for (EventEnvelope event : events) {
            if (joined != null) {
                joined.writtenAgain(event.eventId());
            }
            if (listeners.waits(event)) {
                tellWaiting(waiting -> waiting.keyWaits(keyOf(event)));
            } else if (!event.isDelayed() && (!needsLease() || isLeased(event))) {
                intake.announce(event.eventId(), event.sizeInMemory());
            }
        }
    }

    private void tellWaiting(Consumer<WaitingRoutes> news) {
        WaitingRoutes waiting = queues.isOrdered() ? listeners.waiting() : null;
        if (waiting != null) {
            news.accept(waiting);
        }
    }

    /** The transaction of the events was rolled back. */
    void rolledBack(List<EventEnvelope> events) {
        events.forEach(this::withdraw);
    }

    /** Nobody knows whether the transaction of the events was committed: what was leased is looked for, and a poll finds the rest. */
    void unknown(List<EventEnvelope> events) {
        List<JoinedEvents.Uncertain> leased = new ArrayList<>();
        for (EventEnvelope event : events) {
            InsertedLease lease = withdraw(event);
            if (lease != null) {
                leased.add(new JoinedEvents.Uncertain(event, lease));
            } else if (event.isDelayed()) {
                pollWhenDue(event);
            }
        }
        JoinedEvents joined = joinedEvents;
        boolean allLookedFor = joined != null && joined.lookFor(leased);
        if ((!allLookedFor || leased.size() < events.size()) && isActive()) {
            pollRequests.hotRefused();
        }
    }

    /** The event does not come, as far as is known. Returns how it was leased; null if it was not, or is on its way already. */
    private @Nullable InsertedLease withdraw(EventEnvelope event) {
        if (listeners.waits(event)) {
            tellWaiting(waiting -> waiting.keyGoesOn(keyOf(event)));
        }
        InsertedLease lease = leases.rolledBack(event.eventId());
        intake.withdraw(event.eventId());
        return lease;
    }

    /** The event was committed. */
    Fate committed(EventEnvelope event) {
        if (event.isDelayed()) {
            pollWhenDue(event);
            return Fate.LATER;
        }
        if (!isLeased(event) && (!isActive() || listeners.waits(event))) {
            intake.withdraw(event.eventId());
            return Fate.LATER;
        }
        if (!isLeased(event) && queues.isOrdered()) {
            intake.withdraw(event.eventId());
            queues.keysLeft().leftInTable(keyOf(event));
            // Its turn comes after that of another one, which most often is here.
            pollRequests.pollAfter(isBehindWaiting(event) ? OTHERS_MAY_DELIVER_WITHIN : Duration.ZERO);
            return Fate.LATER;
        }
        boolean ours = isOurs(event);
        if (ours && queues.isOrdered() && queues.keysLeft().isFull(keyOf(event))) {
            leaveToPoller(event); // a claim has brought others of its key meanwhile
            return Fate.LATER;
        }
        if (ours && queue(event)) {
            return Fate.QUEUED;
        }
        if (!ours && isLeased(event) && leases.canInsert()) {
            overdue.put(event.eventId(), event);
            renewSoon.run();
            return Fate.LATER;
        }
        leaveToPoller(event);
        return Fate.REFUSED;
    }

    /**
     * A committed event of ours, of which nothing was said until its row was seen, is about to come. From now on nothing that happens to it is
     * overlooked; what happened before has left no row of ours, or a lease that had expired and is renewed first. Returns false if it will not
     * come, because a row with its id has left this process since the table was asked.
     */
    boolean found(EventEnvelope event, InsertedLease lease, LeasesEnded sinceAsked) {
        intake.announce(event.eventId(), event.sizeInMemory());
        boolean comes = leases.found(event.eventId(), lease, sinceAsked);
        if (!comes) {
            intake.withdraw(event.eventId());
        }
        return comes;
    }

    /** The ids of events whose leases had expired before they were committed. */
    Collection<String> overdue() {
        return List.copyOf(overdue.keySet());
    }

    /** Queues what is ours again, and leaves the others to whoever has taken them or will. */
    void overdueRenewed(Collection<String> eventIds) {
        for (String eventId : eventIds) {
            EventEnvelope event = overdue.remove(eventId);
            if (event != null && !(leases.committed(eventId) && queue(event))) {
                leaveToPoller(event);
            }
        }
    }

    /** Asks for a poll when a delayed event falls due. */
    void pollWhenDue(EventEnvelope event) {
        if (event.deliverAfter() != null) {
            pollRequests.delayed(event.deliverAfter()); // the delay began with the insert
        } else if (event.availableAt() != null) {
            pollRequests.delayedUntil(event.availableAt());
        }
    }

    private boolean isLeased(EventEnvelope event) {
        return leases.isHeld(event.eventId());
    }

    /** In a table that is shared, an event that is not leased may be on its way elsewhere already. */
    private boolean isOurs(EventEnvelope event) {
        leases.createdAt(event.eventId(), event.occurredAt());
        return !needsLease() || leases.committed(event.eventId());
    }

    private boolean needsLease() {
        return queues.isOrdered() || leases.isOn();
    }

    /** Whatever goes wrong with one event must not keep the others of its batch from the queue. */
    private boolean queue(EventEnvelope event) {
        try {
            return intake.hot(new QueuedEvent(event, Source.HOT, 0));
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot queue " + names.of(event), LoggedError.of(e, ContentMask.of(event)));
            return false;
        }
    }

    /** A committed event is not delivered from here. If the poller was quicker it is on its way already, and its lease is needed. */
    void leaveToPoller(EventEnvelope event) {
        intake.withdraw(event.eventId());
        try {
            intake.unlessOnItsWay(event.eventId(), leases::giveBack);
        } catch (RuntimeException e) {
            LOG.log(
                    Level.ERROR,
                    "Cannot ask whether " + names.of(event) + " is on its way",
                    LoggedError.of(e, ContentMask.of(event)));
            leases.giveBack(event.eventId());
        }
        pollRequests.hotRefused();
    }
}
