package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Clock;
import java.util.List;
import java.util.function.BooleanSupplier;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.ContentMask;
import outbox.internal.EventNames;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;
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

    private final Intake intake;
    private final KeyedQueue keys;
    private final InFlightEvents inFlight;
    private final NodeLeases leases;
    private final PollRequests pollRequests;
    private final DueTimes dueTimes;
    private final EventNames names;
    private final BooleanSupplier canWork;
    private final HotInserts inserts;
    private volatile BooleanSupplier active = () -> true;

    /** @param canWork whether events that are written now can be delivered and recorded here */
    HotPath(EventFlow.Parts parts, Intake intake, Clock clock, EventNames names, BooleanSupplier canWork) {
        this.intake = intake;
        this.keys = parts.keys();
        this.inFlight = parts.inFlight();
        this.leases = parts.leases();
        this.pollRequests = parts.pollRequests();
        this.dueTimes = parts.dueTimes();
        this.names = names;
        this.canWork = canWork;
        this.inserts = new HotInserts(leases, keys.isOrdered(), this::room, clock);
    }

    /** Leaves events to another process while this is false. */
    void goOnlyWhile(BooleanSupplier condition) {
        active = condition;
    }

    private boolean isActive() {
        return active.getAsBoolean();
    }

    /** What more may be written as ours; events that are being written have their place already. */
    HotRoom room() {
        return canWork.getAsBoolean() && isActive()
                ? new HotRoom(
                        keys.room(Source.HOT) - inFlight.announcedCount(),
                        keys.bytesLeft(Source.HOT) - inFlight.announcedBytes())
                : HotRoom.NONE;
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
        for (EventEnvelope event : events) {
            if (!event.isDelayed() && (!needsLease() || isLeased(event))) {
                inFlight.announce(event.eventId(), event.sizeInMemory());
            }
        }
    }

    /** The transaction of the events was rolled back, or nobody knows whether it was committed. */
    void rolledBack(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            leases.forget(event.eventId());
            inFlight.withdraw(event.eventId());
        }
    }

    /** The event was committed. */
    Fate committed(EventEnvelope event) {
        if (event.isDelayed()) {
            pollWhenDue(event);
            return Fate.LATER;
        }
        if (!isLeased(event) && !isActive()) {
            inFlight.withdraw(event.eventId());
            return Fate.LATER;
        }
        if (!isLeased(event) && keys.isOrdered()) {
            inFlight.withdraw(event.eventId());
            pollRequests.hotRefused(); // its turn comes after that of another one
            return Fate.LATER;
        }
        if (isOurs(event) && queue(event)) {
            return Fate.QUEUED;
        }
        leaveToPoller(event);
        return Fate.REFUSED;
    }

    private void pollWhenDue(EventEnvelope event) {
        if (event.deliverAfter() != null) {
            dueTimes.addAfter(event.deliverAfter()); // the delay began with the insert
        } else if (event.availableAt() != null) {
            dueTimes.add(event.availableAt());
        }
    }

    private boolean isLeased(EventEnvelope event) {
        return leases.held(event.eventId()) != null;
    }

    /** In a table that is shared, an event that is not leased may be on its way elsewhere already. */
    private boolean isOurs(EventEnvelope event) {
        return !needsLease() || leases.committed(event.eventId());
    }

    private boolean needsLease() {
        return keys.isOrdered() || leases.isOn();
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
        inFlight.withdraw(event.eventId());
        try {
            if (inFlight.tryAcquire(event.eventId())) {
                leases.giveBack(event.eventId());
                inFlight.release(event.eventId());
            }
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
