package outbox.dispatch;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.internal.lease.LeaseBook;
import outbox.internal.payload.PayloadTransforms;
import outbox.internal.payload.PayloadTransforms.Stored;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.spi.OrderedStore.Standing;
import outbox.spi.OutboxStore;

/**
 * Inserts events so that as many as the hot queue has room for are leased to this process from the beginning; the others are free for whoever
 * polls first.
 */
final class HotInserts {

    /**
     * What can still be written as ours, to be delivered from memory.
     *
     * @param events how many
     * @param bytes and how much memory they may take
     * @param staysInTable whether an event is left in the table although there is room
     */
    record Room(int events, long bytes, Predicate<EventEnvelope> staysInTable) {

        static final Room NONE = new Room(0, 0);

        Room(int events, long bytes) {
            this(events, bytes, event -> false);
        }

        private boolean hasRoomFor(List<EventEnvelope> batch) {
            long size = 0;
            for (EventEnvelope event : batch) {
                size += event.sizeInMemory();
            }
            return batch.size() <= events && size <= bytes && batch.stream().noneMatch(staysInTable);
        }

        /** The first events of the batch that may be delivered at once, as many as fit. */
        private List<EventEnvelope> firstOf(List<EventEnvelope> batch) {
            List<EventEnvelope> first = new ArrayList<>();
            long left = bytes;
            for (EventEnvelope event : batch) {
                if (!event.isDelayed() && !staysInTable.test(event)) {
                    left -= event.sizeInMemory();
                    if (left < 0 || first.size() >= events) {
                        break;
                    }
                    first.add(event);
                }
            }
            return first;
        }
    }

    /** Hears of each event that was inserted as ours. */
    @FunctionalInterface
    interface Born {

        /**
         * Says that an event was inserted as ours.
         *
         * @param sinceNanos before the statement was sent
         * @param turnKnown false if the table must be asked whether all before it in order have ended
         */
        void leased(EventEnvelope event, long sinceNanos, boolean turnKnown);
    }

    private final LeaseBook leases;
    private final @Nullable KeyShares shares;
    private final Supplier<Room> room;
    private final Clock clock;
    private final PayloadTransforms transforms;
    private final Born born;

    /**
     * @param shares how many events of each key may be ours; null without order
     * @param room what may be written as ours now; none while events are left to another process
     */
    HotInserts(LeaseBook leases, @Nullable KeyShares shares, Supplier<Room> room, Settings settings, Born born) {
        this.leases = leases;
        this.shares = shares;
        this.room = room;
        this.clock = settings.clock;
        this.transforms = settings.transforms;
        this.born = born;
    }

    /**
     * What does not change.
     *
     * @param clock by which delays are reckoned in a table that nobody else reads
     * @param transforms what is made of payloads: what is delivered from memory is as it was written
     */
    record Settings(Clock clock, PayloadTransforms transforms) {}

    /** The delays of a table that nobody else reads are reckoned by the clock of who reads it: this process. */
    List<EventEnvelope> prepare(List<EventEnvelope> events) {
        if (leases.isOn() || shares != null || events.stream().allMatch(event -> event.deliverAfter() == null)) {
            return events;
        }
        Instant now = clock.instant();
        return events.stream().map(event -> dueByOwnClock(event, now)).toList();
    }

    private static EventEnvelope dueByOwnClock(EventEnvelope event, Instant now) {
        Duration delay = event.deliverAfter();
        if (delay == null) {
            return event;
        }
        return event.toBuilder().deliverAfter(null).availableAt(now.plus(delay)).build();
    }

    void insert(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        if (shares != null) {
            insertOrdered(shares, store, conn, events);
        } else {
            insertUnordered(store, conn, events);
        }
    }

    /**
     * First those that are ours: of each key they come before the others, and what is inserted before gets before in order as well. Nothing is ours
     * before all is inserted.
     */
    private void insertOrdered(KeyShares places, OutboxStore store, Connection conn, List<EventEnvelope> events) {
        Stored stored = stored(events);
        OrderedStore target = leases.canInsert() ? store.ordered() : null;
        List<EventEnvelope> ours = target == null ? List.of() : firstOf(events, places);
        if (target == null || ours.isEmpty()) {
            store.insertBatch(conn, stored.of(events));
            return;
        }
        long since = leases.now();
        Set<String> leased = Set.of();
        try {
            List<Standing> standings = target.insert(conn, stored.of(ours), leases.ownerId());
            if (ours.size() < events.size()) {
                store.insertBatch(conn, stored.of(without(ours, events)));
            }
            leased = noteInOrder(ours, standings, since);
        } finally {
            freeOthers(places, ours, leased);
        }
    }

    /** With places for them; none if there is not enough room. */
    private List<EventEnvelope> firstOf(List<EventEnvelope> events, KeyShares places) {
        List<EventEnvelope> first = places.take(events);
        if (room.get().hasRoomFor(first)) {
            return first;
        }
        places.free(first);
        return List.of();
    }

    private static void freeOthers(KeyShares places, List<EventEnvelope> events, Set<String> leased) {
        for (EventEnvelope event : events) {
            if (!leased.contains(event.eventId())) {
                places.free(event.eventId());
            }
        }
    }

    /**
     * Returns the ids of those that are ours. Only the first event of a key can be known to be next: each of them would be without those before it
     * in the batch.
     */
    private Set<String> noteInOrder(List<EventEnvelope> events, List<Standing> standings, long since) {
        Set<String> leased = new HashSet<>();
        Set<AggregateKey> keys = new HashSet<>();
        for (int i = 0; i < events.size(); i++) {
            EventEnvelope event = events.get(i);
            AggregateKey key = AggregateKey.of(event.aggregateType(), event.aggregateId());
            boolean firstOfBatch = key == null || keys.add(key);
            if (standings.get(i) != Standing.FREE) {
                leased.add(event.eventId());
                born.leased(event, since, firstOfBatch && standings.get(i) != Standing.BEHIND);
            }
        }
        return leased;
    }

    private Stored stored(List<EventEnvelope> events) {
        return transforms == PayloadTransforms.NONE ? some -> some : transforms.store(events);
    }

    private void insertUnordered(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        Stored stored = stored(events);
        LeaseStore target = leases.canInsert() ? store.leases() : null;
        List<EventEnvelope> ours = target == null ? List.of() : room.get().firstOf(events);
        // First the others: should that fail, nobody would tell us of the end of the transaction, and leases would
        // stay.
        if (ours.size() < events.size()) {
            store.insertBatch(conn, stored.of(without(ours, events)));
        }
        if (target != null && !ours.isEmpty()) {
            long since = leases.now();
            target.insertLeased(conn, stored.of(ours), leases.ownerId());
            ours.forEach(event -> born.leased(event, since, true));
        }
    }

    /** Told apart by identity: the same id twice is for the database to refuse. */
    private static List<EventEnvelope> without(List<EventEnvelope> ours, List<EventEnvelope> events) {
        Set<EventEnvelope> leased = Collections.newSetFromMap(new IdentityHashMap<>());
        leased.addAll(ours);
        return events.stream().filter(event -> !leased.contains(event)).toList();
    }

    /** As {@link #insert}, for those of the events whose id is not there yet. In one piece, so that a duplicate can undo all of it. */
    List<WriteReceipt> insertOnce(
            OutboxStore store, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        if (shares != null) {
            return insertOnceOrdered(shares, store, conn, events, policy);
        }
        LeaseStore target = leases.canInsert() ? store.leases() : null;
        Set<String> ours = target == null ? Set.of() : ids(room.get().firstOf(events));
        return target == null || ours.isEmpty()
                ? store.insertOnce(conn, stored(events).of(events), policy)
                : insertOnceLeased(target, conn, events, policy, ours);
    }

    private List<WriteReceipt> insertOnceLeased(
            LeaseStore target, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, Set<String> ours) {
        long since = leases.now();
        List<WriteReceipt> receipts =
                target.insertOnce(conn, stored(events).of(events), policy, leases.ownerId(), ours);
        for (int i = 0; i < events.size(); i++) {
            WriteReceipt receipt = receipts.get(i);
            if (!receipt.alreadyThere() && ours.contains(receipt.eventId())) {
                born.leased(events.get(i), since, true);
            }
        }
        return receipts;
    }

    /** All of them are ours or none, because they are inserted in one piece. */
    private List<WriteReceipt> insertOnceOrdered(
            KeyShares places, OutboxStore store, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        OrderedStore target = leases.canInsert() ? store.ordered() : null;
        List<EventEnvelope> ours = target == null ? List.of() : firstOf(events, places);
        if (target == null || ours.size() < events.size()) {
            places.free(ours);
            return store.insertOnce(conn, stored(events).of(events), policy);
        }
        Set<String> leased = new HashSet<>();
        try {
            return insertOnceOrdered(target, conn, events, policy, leased);
        } finally {
            freeOthers(places, ours, leased);
        }
    }

    private List<WriteReceipt> insertOnceOrdered(
            OrderedStore target,
            Connection conn,
            List<EventEnvelope> events,
            DuplicatePolicy policy,
            Set<String> leased) {
        long since = leases.now();
        List<OrderedStore.Placed> placed =
                target.insertOnce(conn, stored(events).of(events), policy, leases.ownerId());
        List<EventEnvelope> written = new ArrayList<>();
        List<Standing> standings = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (!placed.get(i).receipt().alreadyThere()) {
                written.add(events.get(i));
                standings.add(placed.get(i).standing());
            }
        }
        leased.addAll(noteInOrder(written, standings, since));
        return placed.stream().map(OrderedStore.Placed::receipt).toList();
    }

    private static Set<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).collect(Collectors.toSet());
    }
}
