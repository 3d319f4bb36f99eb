package outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.DuplicateEventException;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.WriteReceipt;
import outbox.internal.ShortTransaction;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.EventPurger;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore;
import outbox.spi.PurgeRuns;
import outbox.util.JsonCodec;

/**
 * An outbox table in memory, with the same rules as the real ones. Thread-safe.
 *
 * <p>On a connection of {@link InMemoryTransactions} an insert becomes visible when the transaction commits, and all changes are
 * undone when it rolls back. On any other connection, or null, changes are effective at once.
 */
public final class InMemoryOutboxStore implements OutboxStore, EventPurger {

    /** How long a writer waits for another one that has not ended. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(30);

    private static final Comparator<StoredRow> OLDEST_FIRST = Comparator.comparing(
                    (StoredRow row) -> row.event().createdAt())
            .thenComparing(row -> row.event().eventId());

    private final Map<String, StoredRow> rows = new HashMap<>();
    /** Who has inserted the events that are not committed. */
    private final Map<String, Optional<Connection>> writers = new HashMap<>();

    private long lastSeq;
    private final Clock clock;

    /** A store that takes the time from the system's clock. */
    public InMemoryOutboxStore() {
        this(Clock.systemUTC());
    }

    /** A store that takes the time of marks and leases from the given clock. */
    public InMemoryOutboxStore(Clock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /** The state of one event, or null if it is not there or not committed. */
    public synchronized @Nullable StoredEvent find(String eventId) {
        StoredRow row = rows.get(eventId);
        return row == null || !row.visible() ? null : row.state();
    }

    /** The states of all committed events, oldest first. */
    public synchronized List<StoredEvent> all() {
        return select(row -> true).map(StoredRow::state).toList();
    }

    /** Removes everything. */
    public synchronized void clear() {
        rows.clear();
    }

    @Override
    public synchronized void insertNew(Connection conn, EventEnvelope event) {
        String id = event.eventId();
        if (rows.containsKey(id)) {
            throw new OutboxException("Event id " + id + " is already there", null);
        }
        rows.put(id, new StoredRow(toRow(event), newState(event), ++lastSeq, false));
        writers.put(id, Optional.ofNullable(conn));
        InMemoryConnection.whenEnded(conn, () -> show(id), () -> remove(id));
    }

    @Override
    public boolean canDelay() {
        return true;
    }

    @Override
    public synchronized List<WriteReceipt> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        List<WriteReceipt> receipts = new ArrayList<>();
        events.forEach(event -> receipts.add(insertOnce(conn, event)));
        List<String> there = receipts.stream()
                .filter(WriteReceipt::alreadyThere)
                .map(WriteReceipt::eventId)
                .distinct()
                .toList();
        if (policy == DuplicatePolicy.FAIL && !there.isEmpty()) {
            receipts.stream().filter(receipt -> !receipt.alreadyThere()).forEach(receipt -> remove(receipt.eventId()));
            throw new DuplicateEventException(there, "in memory");
        }
        return receipts;
    }

    private WriteReceipt insertOnce(Connection conn, EventEnvelope event) {
        String id = event.eventId();
        awaitEndOfOtherWriter(conn, id);
        StoredRow there = rows.get(id);
        if (there != null) {
            return WriteReceipt.alreadyThere(id, OptionalLong.of(there.seq()));
        }
        insertNew(conn, event);
        return WriteReceipt.written(id, OptionalLong.of(lastSeq));
    }

    /** As a database does: only the end of the other transaction tells whether the event is there. */
    private void awaitEndOfOtherWriter(Connection conn, String id) {
        long deadline = System.nanoTime() + LOCK_TIMEOUT.toNanos();
        while (writers.containsKey(id) && !writers.get(id).equals(Optional.ofNullable(conn))) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new OutboxException(
                        "Event id " + id + " was written by another transaction, which did not end within "
                                + LOCK_TIMEOUT,
                        null);
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new OutboxException("Interrupted while another transaction had written event id " + id, e);
            }
        }
    }

    @Override
    public synchronized int markDone(Connection conn, String eventId) {
        Instant now = clock.instant();
        return change(conn, eventId, StoredRow::isPending, state -> StoredRow.done(state, now));
    }

    @Override
    public synchronized int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return change(conn, eventId, StoredRow::isPending, state -> StoredRow.retried(state, nextAt, error));
    }

    @Override
    public synchronized int markDead(Connection conn, String eventId, String error) {
        Instant now = clock.instant();
        return change(conn, eventId, StoredRow::isPending, state -> StoredRow.dead(state, now, error));
    }

    @Override
    public synchronized Backlog countBacklog(Connection conn, int limit) {
        List<StoredRow> pending = select(StoredRow::isPending).limit(limit).toList();
        long locked =
                pending.stream().filter(row -> row.state().lockedAt() != null).count();
        return new Backlog(pending.size(), (int) locked);
    }

    @Override
    public boolean canDelete() {
        return true;
    }

    @Override
    public synchronized int deleteAll(Connection conn, List<String> eventIds) {
        List<StoredRow> delivered = eventIds.stream()
                .map(rows::get)
                .filter(row -> row != null && row.isPending())
                .toList();
        delivered.forEach(row -> delete(conn, row));
        return delivered.size();
    }

    synchronized void delete(Connection conn, StoredRow row) {
        rows.remove(row.event().eventId());
        InMemoryConnection.whenEnded(conn, () -> {}, () -> restore(row));
    }

    @Override
    public synchronized List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return due(now, skipRecent).limit(limit).map(StoredRow::event).toList();
    }

    @Override
    public synchronized List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        List<OutboxEvent> claimed = due(now, skipRecent)
                .filter(row -> row.isFree(lockExpiry))
                .limit(limit)
                .map(StoredRow::event)
                .toList();
        claimed.forEach(
                event -> change(conn, event.eventId(), row -> true, state -> StoredRow.locked(state, ownerId, now)));
        return claimed;
    }

    @Override
    public synchronized int releaseClaims(Connection conn, String ownerId, Collection<String> eventIds) {
        return eventIds.stream()
                .mapToInt(id ->
                        change(conn, id, row -> row.isHeldBy(ownerId), state -> StoredRow.locked(state, null, null)))
                .sum();
    }

    /** By the clock of this store, which all who share it have in common. */
    @Override
    public LeaseStore leases() {
        return leaseStore();
    }

    private InMemoryLeaseStore leaseStore() {
        return new InMemoryLeaseStore(this, clock);
    }

    @Override
    public OrderedStore ordered() {
        return new InMemoryOrderedStore(this, leaseStore());
    }

    @Override
    public synchronized List<OutboxEvent> queryDead(
            Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit) {
        return select(StoredRow::isDead)
                .map(StoredRow::event)
                .filter(event -> eventType == null || eventType.equals(event.eventType()))
                .filter(event -> aggregateType == null || aggregateType.equals(event.aggregateType()))
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized int replayDead(Connection conn, String eventId) {
        Instant now = clock.instant();
        return change(
                conn,
                eventId,
                StoredRow::isDead,
                state -> new StoredEvent(eventId, EventStatus.NEW, 0, now, state.createdAt(), null, null, null, null));
    }

    @Override
    public int countDead(Connection conn, @Nullable String eventType) {
        return queryDead(conn, eventType, null, Integer.MAX_VALUE).size();
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        return purge(conn, PurgeRuns.Expiry.of(before), limit, (sameConn, events) -> {});
    }

    @Override
    public PurgeRuns runs() {
        PurgeRuns.BeforeDelete nobody = (conn, events) -> {};
        return (expiry, beforeDelete) -> (connections, limit) -> {
            PurgeRuns.BeforeDelete viewer = beforeDelete == null ? nobody : beforeDelete;
            int deleted = ShortTransaction.run(connections, conn -> purge(conn, expiry, limit, viewer));
            return new PurgeRuns.Batch(deleted, deleted >= limit, null);
        };
    }

    private synchronized int purge(Connection conn, PurgeRuns.Expiry expiry, int limit, PurgeRuns.BeforeDelete viewer) {
        List<StoredRow> expired = select(row -> !row.isUnfinished() && isExpired(row.state(), expiry))
                .limit(limit)
                .toList();
        if (!expired.isEmpty()) {
            show(conn, expired, viewer);
        }
        expired.forEach(row -> delete(conn, row));
        return expired.size();
    }

    private static void show(Connection conn, List<StoredRow> rows, PurgeRuns.BeforeDelete viewer) {
        try {
            viewer.see(conn, rows.stream().map(StoredRow::event).toList());
        } catch (SQLException e) {
            throw new OutboxException("Cannot show " + rows.size() + " event(s) before they are deleted", e);
        }
    }

    private static boolean isExpired(StoredEvent state, PurgeRuns.Expiry expiry) {
        Instant before = state.status() == EventStatus.DEAD ? expiry.deadBefore() : expiry.doneBefore();
        return before != null && endOf(state).isBefore(before);
    }

    private Stream<StoredRow> due(Instant now, Duration skipRecent) {
        Instant createdUntil = now.minus(skipRecent);
        return select(row -> row.isPending()
                && !row.state().availableAt().isAfter(now)
                && !row.event().createdAt().isAfter(createdUntil));
    }

    /** In order, oldest first. */
    synchronized Stream<StoredRow> select(Predicate<StoredRow> wanted) {
        return rows.values().stream().filter(StoredRow::visible).filter(wanted).sorted(OLDEST_FIRST);
    }

    /** Also what is not committed, in any order. */
    synchronized Stream<StoredRow> everything() {
        return rows.values().stream();
    }

    synchronized int change(
            Connection conn, String id, Predicate<StoredRow> allowed, UnaryOperator<StoredEvent> change) {
        StoredRow before = rows.get(id);
        if (before == null || !allowed.test(before)) {
            return 0;
        }
        rows.put(id, before.with(change));
        InMemoryConnection.whenEnded(conn, () -> {}, () -> restore(before));
        return 1;
    }

    /** The row of an event, committed or not; null if there is none. */
    synchronized @Nullable StoredRow row(String id) {
        return rows.get(id);
    }

    private synchronized void show(String id) {
        rows.computeIfPresent(id, (key, row) -> row.shown());
        writers.remove(id);
        notifyAll();
    }

    private synchronized void remove(String id) {
        rows.remove(id);
        writers.remove(id);
        notifyAll();
    }

    private synchronized void restore(StoredRow row) {
        rows.put(row.event().eventId(), row);
    }

    private static Instant endOf(StoredEvent state) {
        return state.doneAt() == null ? state.createdAt() : state.doneAt();
    }

    private StoredEvent newState(EventEnvelope event) {
        Instant availableAt = availableAt(event);
        return new StoredEvent(
                event.eventId(), EventStatus.NEW, 0, availableAt, storedTime(event), null, null, null, null);
    }

    private Instant availableAt(EventEnvelope event) {
        if (event.deliverAfter() != null) {
            return clock.instant().plus(event.deliverAfter()).truncatedTo(ChronoUnit.MICROS);
        }
        return event.availableAt() == null ? storedTime(event) : event.availableAt();
    }

    private static OutboxEvent toRow(EventEnvelope event) {
        return new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.payloadJson(),
                JsonCodec.getDefault().toJson(event.headers()),
                0,
                storedTime(event));
    }

    /** Tables keep microseconds, so tests should not see more either. */
    private static Instant storedTime(EventEnvelope event) {
        return event.occurredAt().truncatedTo(ChronoUnit.MICROS);
    }
}
