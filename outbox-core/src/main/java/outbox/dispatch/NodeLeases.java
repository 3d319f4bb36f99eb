package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;
import outbox.internal.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Held;
import outbox.spi.OrderedStore;

/**
 * What this process holds in a table that it shares with others: for each event that is being written, waits or runs here, until when it
 * is certainly ours. Off until a poller says under which name it claims; as long as it is off, nothing is held and nothing is lost.
 *
 * <p>The time that counts is the database's, which cannot be asked for each event. So the end of a lease is reckoned here, from the
 * moment before the statement that took it was sent, by a clock that nobody can set: it comes too early rather than too late.
 */
final class NodeLeases {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);
    private static final int GROUP_SIZE = 500;
    private static final int RENEWALS_PER_LEASE = 8;
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(1);

    /** Under which name and for how long events are held. */
    private record Terms(LeaseStore store, String ownerId, Duration timeout) {}

    private static final class Lease {
        private final String eventId;
        private final int attempts;
        private volatile boolean unsure;
        private volatile long until;
        private volatile boolean committed;
        private volatile boolean started;
        private volatile boolean lost;

        private Lease(String eventId, int attempts, long until, boolean committed) {
            this.eventId = eventId;
            this.attempts = attempts;
            this.until = until;
            this.committed = committed;
        }
    }

    private final @Nullable LeaseStore store;
    private final ConnectionProvider connections;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<String, Lease> leases = new ConcurrentHashMap<>();
    private final Queue<Held> givenBack = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Terms terms;
    private volatile boolean closed;

    NodeLeases(@Nullable LeaseStore store, ConnectionProvider connections, LongSupplier nanoTime) {
        this.store = store;
        this.connections = connections;
        this.nanoTime = nanoTime;
    }

    /**
     * Turns leases on, if the store has them.
     *
     * @return the name under which to claim: the given one, or that of the first call
     */
    synchronized String begin(String ownerId, Duration timeout) {
        if (store == null) {
            return ownerId;
        }
        Terms before = terms;
        if (before == null) {
            terms = new Terms(store, ownerId, timeout);
            return ownerId;
        }
        terms = new Terms(store, before.ownerId, before.timeout.compareTo(timeout) < 0 ? before.timeout : timeout);
        return before.ownerId;
    }

    boolean isOn() {
        return terms != null;
    }

    /** How often {@link #renew()} is to be called: so that a few calls may fail before a lease runs out. */
    Duration renewalInterval() {
        Terms now = terms;
        if (now == null) {
            return Duration.ofSeconds(1);
        }
        Duration interval = now.timeout.dividedBy(RENEWALS_PER_LEASE);
        return interval.compareTo(SHORTEST_INTERVAL) < 0 ? SHORTEST_INTERVAL : interval;
    }

    /** The time by which leases are reckoned. */
    long now() {
        return nanoTime.getAsLong();
    }

    /** Whether events can be inserted as ours. */
    boolean canInsert() {
        return terms != null && !closed;
    }

    /** Inserts events that belong to this process from the beginning. */
    void insert(LeaseStore target, Connection conn, List<EventEnvelope> events) {
        Terms now = required();
        long since = now();
        target.insertLeased(conn, events, now.ownerId);
        events.forEach(event -> born(event.eventId(), since, false));
    }

    /**
     * Inserts events in order, and those of them as ours that may be delivered here. Two of one key are not first both, as each of them
     * would be without the other.
     */
    void insertOrdered(OrderedStore target, Connection conn, List<EventEnvelope> events) {
        long since = now();
        bornInOrder(events, target.insert(conn, events, required().ownerId), since);
    }

    private void bornInOrder(List<EventEnvelope> events, List<OrderedStore.Standing> standings, long since) {
        Set<AggregateKey> keys = new HashSet<>();
        for (int i = 0; i < events.size(); i++) {
            EventEnvelope event = events.get(i);
            AggregateKey key = AggregateKey.of(event.aggregateType(), event.aggregateId());
            boolean firstOfBatch = key == null || keys.add(key);
            if (standings.get(i) != OrderedStore.Standing.FREE) {
                born(event.eventId(), since, !firstOfBatch || standings.get(i) == OrderedStore.Standing.BEHIND);
            }
        }
    }

    /** As {@link #insert}, for those of the events whose id is not there yet, of which some are to be ours. */
    List<WriteReceipt> insertOnce(
            LeaseStore target, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, Set<String> ours) {
        Terms now = required();
        long since = now();
        List<WriteReceipt> receipts = target.insertOnce(conn, events, policy, now.ownerId, ours);
        for (WriteReceipt receipt : receipts) {
            if (!receipt.alreadyThere() && ours.contains(receipt.eventId())) {
                born(receipt.eventId(), since, false);
            }
        }
        return receipts;
    }

    /** As {@link #insertOrdered}, for those of the events whose id is not there yet. */
    List<WriteReceipt> insertOnceOrdered(
            OrderedStore target, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        long since = now();
        List<OrderedStore.Placed> placed = target.insertOnce(conn, events, policy, required().ownerId);
        List<EventEnvelope> written = new ArrayList<>();
        List<OrderedStore.Standing> standings = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (!placed.get(i).receipt().alreadyThere()) {
                written.add(events.get(i));
                standings.add(placed.get(i).standing());
            }
        }
        bornInOrder(written, standings, since);
        return placed.stream().map(OrderedStore.Placed::receipt).toList();
    }

    private void born(String eventId, long since, boolean unsure) {
        Lease lease = new Lease(eventId, 0, since + required().timeout.toNanos(), false);
        lease.unsure = unsure;
        leases.put(eventId, lease);
    }

    /** Says that the event was committed. Returns whether it is certainly ours. */
    boolean committed(String eventId) {
        Lease lease = leases.get(eventId);
        if (lease == null) {
            return false;
        }
        lease.committed = true;
        return isCertain(lease);
    }

    /** Says that an event, which is about to be queued, was claimed by a statement that was sent after the given time. */
    void claimed(String eventId, int attempts, long sinceNanos) {
        claimed(eventId, attempts, sinceNanos, false);
    }

    /** As {@link #claimed(String, int, long)}, for an event of which is not known yet whether all before it have ended. */
    void claimedUnsure(String eventId, int attempts, long sinceNanos) {
        claimed(eventId, attempts, sinceNanos, true);
    }

    private void claimed(String eventId, int attempts, long sinceNanos, boolean unsure) {
        Terms now = terms;
        if (now != null) {
            Lease lease = new Lease(eventId, attempts, sinceNanos + now.timeout.toNanos(), true);
            lease.unsure = unsure;
            leases.put(eventId, lease);
        }
    }

    /** Says that all that must end before the event have ended, or are in line before it. */
    void sure(String eventId) {
        Lease lease = leases.get(eventId);
        if (lease != null) {
            lease.unsure = false;
        }
    }

    /** Whether the table must be asked if it is the event's turn. */
    boolean isUnsure(String eventId) {
        Lease lease = leases.get(eventId);
        return lease != null && lease.unsure;
    }

    /**
     * Says that an event, which is still on its way here, was claimed again: its lease had run out and nobody else was quicker. So its
     * outcome will count after all. If that outcome was recorded a moment ago, nobody here will deliver what was claimed, and it is given
     * back.
     */
    void claimedAgain(String eventId, int attempts, long sinceNanos) {
        Terms now = terms;
        if (now == null) {
            return;
        }
        Lease current = leases.computeIfPresent(eventId, (id, old) -> {
            Lease lease = new Lease(eventId, attempts, sinceNanos + now.timeout.toNanos(), true);
            lease.started = old.started;
            lease.unsure = old.unsure;
            return lease;
        });
        if (current == null) {
            release(new Held(eventId, attempts));
        }
    }

    /** Says that the event is about to be delivered. Returns false if it may belong to somebody else by now. */
    boolean start(String eventId) {
        Lease lease = leases.get(eventId);
        if (lease == null) {
            return terms == null || !closed; // was never leased, or given back by the close
        }
        lease.started = true;
        return isCertain(lease);
    }

    private boolean isCertain(Lease lease) {
        return !lease.lost && lease.until - now() > 0;
    }

    /** The hold on which changes of the event are based; null if it was never leased. */
    @Nullable
    Held held(String eventId) {
        Lease lease = leases.get(eventId);
        return lease == null ? null : new Held(eventId, lease.attempts);
    }

    String ownerId() {
        return required().ownerId;
    }

    /** Says that the event was never committed or belongs to somebody else. */
    void forget(String eventId) {
        leases.remove(eventId);
    }

    /**
     * Says that the outcome of a delivery was recorded. A retry that was due at once may have been claimed again before this was said;
     * nobody here will deliver it, so it is given back. Returns whether the event was leased.
     */
    boolean ended(String eventId, int attempts) {
        Lease lease = leases.remove(eventId);
        if (lease != null && lease.attempts > attempts) {
            release(new Held(eventId, lease.attempts));
        }
        return lease != null;
    }

    /** Says that the event will not be delivered here; it is released with the next {@link #releaseGivenBack()}. */
    void giveBack(String eventId) {
        Lease lease = leases.remove(eventId);
        if (lease != null) {
            release(new Held(eventId, lease.attempts));
        }
    }

    private void release(Held held) {
        givenBack.add(held);
        if (closed) {
            releaseGivenBack(); // nobody else will do it any more
        }
    }

    /**
     * Lets others take what was given back, except what was claimed again since. What cannot be released now is tried again the next
     * time.
     */
    void releaseGivenBack() {
        List<Held> all = new ArrayList<>();
        for (Held held = givenBack.poll(); held != null; held = givenBack.poll()) {
            if (!leases.containsKey(held.eventId())) {
                all.add(held);
            }
        }
        for (List<Held> group : groups(all)) {
            try {
                Terms now = required();
                ShortTransaction.run(connections, conn -> now.store.release(conn, now.ownerId, group));
            } catch (SQLException | RuntimeException e) {
                LOG.log(Level.WARNING, group.size() + " lease(s) could not be given back yet", LoggedError.of(e));
                givenBack.addAll(group);
            }
        }
    }

    /** Renews what has been held for a quarter of the time and more. Events that are delivered at once are never renewed. */
    void renew() {
        Terms now = terms;
        if (now == null) {
            return;
        }
        long dueFrom = now() + now.timeout.toNanos() / 4 * 3;
        List<Lease> due = leases.values().stream()
                .filter(lease -> lease.committed && !lease.lost && lease.until - dueFrom <= 0)
                .toList();
        for (List<Lease> group : groups(due)) {
            renew(now, group);
        }
    }

    /** Changes only the leases that were due: one that was claimed anew meanwhile is not meant by the answer. */
    private void renew(Terms now, List<Lease> group) {
        List<String> ids = group.stream().map(lease -> lease.eventId).toList();
        long since = now();
        LeaseRenewal result;
        try {
            result = ShortTransaction.run(connections, conn -> LeaseRenewal.run(now.store, conn, now.ownerId, ids));
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, "Cannot renew " + group.size() + " lease(s), trying again soon", LoggedError.of(e));
            return;
        }
        for (Lease lease : group) {
            if (result.renewed().contains(lease.eventId)) {
                lease.until = since + now.timeout.toNanos();
            } else if (!result.leftOut().contains(lease.eventId)) {
                lost(lease);
            }
        }
    }

    /** It may as well have ended a moment ago; then it is forgotten as soon as that is reported. */
    private static void lost(Lease lease) {
        lease.lost = true;
        LOG.log(Level.DEBUG, "The lease of event {0} is not ours any more", lease.eventId);
    }

    /**
     * From now on nothing is inserted as ours. What waits, but was not begun, is given back, to be released by the next
     * {@link #releaseGivenBack()}; what still runs is left to expire.
     */
    void close() {
        leases.forEach((id, lease) -> {
            if (lease.committed && !lease.started) {
                giveBack(id);
            }
        });
        closed = true;
    }

    private Terms required() {
        Terms now = terms;
        if (now == null) {
            throw new IllegalStateException("Leases are off");
        }
        return now;
    }

    private static <T> List<List<T>> groups(List<T> all) {
        List<List<T>> groups = new ArrayList<>();
        for (int from = 0; from < all.size(); from += GROUP_SIZE) {
            groups.add(all.subList(from, Math.min(all.size(), from + GROUP_SIZE)));
        }
        return groups;
    }
}
