package outbox.testing;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.internal.text.ErrorText;
import outbox.internal.text.RowWords;
import outbox.spi.LeaseStore;

/** Leases of events in memory. The store's clock is the one that counts, as if it were a database's. */
final class InMemoryLeaseStore implements LeaseStore {

    private final InMemoryTable table;
    private final InMemoryInserts inserts;
    private final Clock clock;

    InMemoryLeaseStore(InMemoryTable table, InMemoryInserts inserts, Clock clock) {
        this.table = table;
        this.inserts = inserts;
        this.clock = clock;
    }

    Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public void insertLeased(Connection conn, List<EventEnvelope> events, String ownerId) {
        synchronized (table) {
            inserts.insertAll(conn, events);
            events.stream().filter(event -> !event.isDelayed()).forEach(event -> lock(conn, event.eventId(), ownerId));
        }
    }

    @Override
    public List<WriteReceipt> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId, Set<String> leased) {
        synchronized (table) {
            List<WriteReceipt> receipts = inserts.insertOnce(conn, events, policy);
            receipts.stream()
                    .filter(receipt -> !receipt.alreadyThere() && leased.contains(receipt.eventId()))
                    .forEach(receipt -> lock(conn, receipt.eventId(), ownerId));
            return receipts;
        }
    }

    void lock(Connection conn, String eventId, String ownerId) {
        table.change(conn, eventId, row -> true, state -> StoredRow.locked(state, ownerId, now()));
    }

    @Override
    public List<Taken> claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit) {
        return claim(conn, new ClaimRequest(ownerId, timeout, skipRecent, limit, Start.BEGINNING))
                .events();
    }

    @Override
    public Found claim(Connection conn, ClaimRequest request) {
        synchronized (table) {
            Instant now = now();
            Position from = request.start().from();
            List<StoredRow> free = table.select(row -> isClaimable(row, now, request.timeout(), request.skipRecent()))
                    .filter(row -> !row.isOneOf(request.leftOut()))
                    .filter(row -> from == null || positionOf(row).compareTo(from) >= 0)
                    .sorted(Comparator.comparing(InMemoryLeaseStore::positionOf))
                    .limit(request.limit())
                    .toList();
            return new Found(
                    free.stream()
                            .sorted(InMemoryTable.OLDEST_FIRST)
                            .map(row -> take(conn, row, request.ownerId(), true))
                            .toList(),
                    free.isEmpty() ? null : positionOf(free.get(0)));
        }
    }

    private static Position positionOf(StoredRow row) {
        return new Position(row.state().availableAt(), row.event().eventId());
    }

    /** @param canHaveBegun whether an expired lease tells something against the event */
    Taken take(Connection conn, StoredRow row, String ownerId, boolean canHaveBegun) {
        Instant now = now();
        String eventId = row.event().eventId();
        table.change(
                conn,
                eventId,
                any -> true,
                state -> canHaveBegun
                        ? StoredRow.takenOver(state, ownerId, now)
                        : StoredRow.locked(state, ownerId, now));
        return new Taken(row.event(), canHaveBegun ? row.suspicion(ownerId) : null);
    }

    /** Whether an event may be taken. */
    static boolean isClaimable(StoredRow row, Instant now, Duration timeout, Duration skipRecent) {
        return row.isPending()
                && !row.state().availableAt().isAfter(now)
                && row.isFree(now.minus(timeout))
                && (skipRecent.isZero() || !row.state().createdAt().isAfter(now.minus(skipRecent)));
    }

    @Override
    public Set<String> renew(Connection conn, String ownerId, Collection<String> eventIds) {
        synchronized (table) {
            Set<String> renewed = new LinkedHashSet<>(eventIds);
            renewed.removeIf(id -> table.change(
                            conn, id, row -> row.isHeldBy(ownerId), state -> StoredRow.locked(state, ownerId, now()))
                    == 0);
            return renewed;
        }
    }

    @Override
    public Map<String, Long> leasedAt(Connection conn, String ownerId, Collection<String> eventIds) {
        synchronized (table) {
            Map<String, Long> times = new HashMap<>();
            for (String id : held(conn, ownerId, eventIds)) {
                StoredRow row = table.row(id);
                Instant at = row == null ? null : row.state().lockedAt();
                if (at != null) {
                    times.put(id, ChronoUnit.MICROS.between(Instant.EPOCH, at));
                }
            }
            return times;
        }
    }

    @Override
    public Set<String> held(Connection conn, String ownerId, Collection<String> eventIds) {
        synchronized (table) {
            Set<String> held = new LinkedHashSet<>(eventIds);
            held.removeIf(id -> table.change(conn, id, row -> row.isHeldBy(ownerId), state -> state) == 0);
            return held;
        }
    }

    @Override
    public int release(Connection conn, String ownerId, Collection<String> eventIds) {
        return (int) eventIds.stream()
                .filter(id -> change(conn, ownerId, id, state -> StoredRow.locked(state, null, null)))
                .count();
    }

    @Override
    public boolean writeDown(Connection conn, String ownerId, Begun suspect) {
        int after = suspect.attempts() + 1;
        return table.change(
                        conn,
                        suspect.eventId(),
                        row -> row.isHeldBy(ownerId)
                                && (row.state().attempts() == suspect.attempts()
                                        || row.state().attempts() == after),
                        state -> StoredRow.suspected(state, after, RowWords.begun(suspect.crashes() + 1)))
                == 1;
    }

    @Override
    public int takeBack(Connection conn, String ownerId, Begun suspect) {
        String error = RowWords.givenBack(suspect.crashes());
        return change(
                        conn,
                        ownerId,
                        suspect.eventId(),
                        state -> StoredRow.suspected(StoredRow.locked(state, null, null), suspect.attempts(), error))
                ? 1
                : 0;
    }

    @Override
    public Set<String> postpone(Connection conn, String ownerId, List<Postponed> suspects) {
        Instant now = now();
        return lateOf(
                suspects,
                Postponed::eventId,
                event -> change(
                        conn,
                        ownerId,
                        event.eventId(),
                        state -> StoredRow.retried(
                                state, state.attempts(), now.plus(event.delay()), RowWords.waits(event.crashes()))));
    }

    @Override
    public Set<String> markDone(Connection conn, String ownerId, List<String> eventIds) {
        Instant now = now();
        return lateOf(eventIds, id -> id, id -> change(conn, ownerId, id, state -> StoredRow.done(state, now)));
    }

    @Override
    public Set<String> delete(Connection conn, String ownerId, List<String> eventIds) {
        return lateOf(eventIds, id -> id, id -> {
            StoredRow row = table.row(id);
            // One that is gone may have been deleted by another owner; that cannot be told any more.
            if (row != null && row.isHeldBy(ownerId)) {
                table.delete(conn, row);
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
                HeldRetry::eventId,
                retry -> change(
                        conn,
                        ownerId,
                        retry.eventId(),
                        state -> StoredRow.retried(
                                state, retry.attempts(), now.plus(retry.delay()), ErrorText.limit(retry.error()))));
    }

    @Override
    public Set<String> markDead(Connection conn, String ownerId, List<HeldDead> dead) {
        Instant now = now();
        return lateOf(
                dead,
                HeldDead::eventId,
                event -> change(
                        conn,
                        ownerId,
                        event.eventId(),
                        state -> StoredRow.dead(state, now, event.error(), event.holdsKey())));
    }

    /** Returns the ids of those that were not changed. */
    private <T> Set<String> lateOf(List<T> events, Function<T, String> id, Predicate<T> changed) {
        synchronized (table) {
            return events.stream()
                    .filter(changed.negate())
                    .map(id)
                    .collect(Collectors.toCollection(LinkedHashSet::new));
        }
    }

    private boolean change(Connection conn, String ownerId, String eventId, UnaryOperator<StoredEvent> change) {
        return table.change(conn, eventId, row -> row.isHeldBy(ownerId), change) == 1;
    }
}
