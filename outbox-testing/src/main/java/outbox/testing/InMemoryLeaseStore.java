package outbox.testing;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore;

/** Leases of events in memory. The store's clock is the one that counts, as if it were a database's. */
final class InMemoryLeaseStore implements LeaseStore {

    private final InMemoryOutboxStore store;
    private final Clock clock;

    InMemoryLeaseStore(InMemoryOutboxStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public void insertLeased(Connection conn, List<EventEnvelope> events, String ownerId) {
        synchronized (store) {
            store.insertBatch(conn, events);
            events.stream().filter(event -> !event.isDelayed()).forEach(event -> lock(conn, event.eventId(), ownerId));
        }
    }

    @Override
    public List<WriteReceipt> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId, Set<String> leased) {
        synchronized (store) {
            List<WriteReceipt> receipts = store.insertOnce(conn, events, policy);
            receipts.stream()
                    .filter(receipt -> !receipt.alreadyThere() && leased.contains(receipt.eventId()))
                    .forEach(receipt -> lock(conn, receipt.eventId(), ownerId));
            return receipts;
        }
    }

    void lock(Connection conn, String eventId, String ownerId) {
        store.change(conn, eventId, row -> true, state -> StoredRow.locked(state, ownerId, now()));
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit) {
        synchronized (store) {
            Instant now = now();
            Set<String> free = store.select(row -> isClaimable(row, now, timeout, skipRecent))
                    .limit(limit)
                    .map(row -> row.event().eventId())
                    .collect(Collectors.toSet());
            free.forEach(id -> store.change(conn, id, row -> true, state -> StoredRow.takenOver(state, ownerId, now)));
            return store.select(row -> free.contains(row.event().eventId()))
                    .map(StoredRow::event)
                    .toList();
        }
    }

    /** Whether an event may be taken. */
    static boolean isClaimable(StoredRow row, Instant now, Duration timeout, Duration skipRecent) {
        return row.isPending()
                && isDue(row.state(), now)
                && row.isFree(now.minus(timeout))
                && (skipRecent.isZero() || !row.state().createdAt().isAfter(now.minus(skipRecent)));
    }

    /** An event that was never tried is due whatever its time of creation, which came from the clock of some process. */
    private static boolean isDue(StoredEvent state, Instant now) {
        return !state.availableAt().isAfter(now) || state.availableAt().equals(state.createdAt());
    }

    @Override
    public Set<String> renew(Connection conn, String ownerId, Collection<String> eventIds) {
        synchronized (store) {
            Set<String> renewed = new LinkedHashSet<>(eventIds);
            renewed.removeIf(id -> store.change(
                            conn, id, row -> row.isHeldBy(ownerId), state -> StoredRow.locked(state, ownerId, now()))
                    == 0);
            return renewed;
        }
    }

    @Override
    public int release(Connection conn, String ownerId, List<Held> events) {
        return (int) events.stream()
                .filter(held -> change(conn, ownerId, held, state -> StoredRow.locked(state, null, null)))
                .count();
    }

    @Override
    public Set<String> markDone(Connection conn, String ownerId, List<Held> events) {
        Instant now = now();
        return lateOf(events, Held::eventId, held -> change(conn, ownerId, held, state -> StoredRow.done(state, now)));
    }

    @Override
    public Set<String> delete(Connection conn, String ownerId, List<Held> events) {
        return lateOf(events, Held::eventId, held -> {
            StoredRow row = store.row(held.eventId());
            // One that is gone may have been deleted by another owner; that cannot be told any more.
            if (row != null && isHeld(row, ownerId, held)) {
                store.delete(conn, row);
                return true;
            }
            return row == null;
        });
    }

    @Override
    public Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries) {
        Instant now = now();
        return lateOf(
                retries,
                retry -> retry.held().eventId(),
                retry -> change(
                        conn,
                        ownerId,
                        retry.held(),
                        state -> StoredRow.retried(state, now.plus(retry.delay()), retry.error())));
    }

    @Override
    public Set<String> markDead(Connection conn, String ownerId, List<HeldDead> dead) {
        Instant now = now();
        return lateOf(
                dead,
                event -> event.held().eventId(),
                event -> change(
                        conn,
                        ownerId,
                        event.held(),
                        state -> StoredRow.dead(state, now, event.error(), event.holdsKey())));
    }

    /** Returns the ids of those that were not changed. */
    private <T> Set<String> lateOf(List<T> events, Function<T, String> id, Predicate<T> changed) {
        synchronized (store) {
            return events.stream()
                    .filter(changed.negate())
                    .map(id)
                    .collect(Collectors.toCollection(LinkedHashSet::new));
        }
    }

    private boolean change(Connection conn, String ownerId, Held held, UnaryOperator<StoredEvent> change) {
        return store.change(conn, held.eventId(), row -> isHeld(row, ownerId, held), change) == 1;
    }

    private static boolean isHeld(StoredRow row, String ownerId, Held held) {
        return row.isHeldBy(ownerId) && row.state().attempts() == held.attempts();
    }
}
