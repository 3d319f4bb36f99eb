package outbox.testing;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.model.EventRoute;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.EventPurger;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore;
import outbox.spi.PurgeRuns;
import outbox.spi.TableOverview;

/**
 * An outbox table in memory, with the same rules as the real ones. Thread-safe.
 *
 * <p>On a connection of {@link InMemoryTransactions} an insert becomes visible when the transaction commits, and all changes are
 * undone when it rolls back. On any other connection, or null, changes are effective at once.
 */
public final class InMemoryOutboxStore implements OutboxStore, EventPurger {

    private final Clock clock;
    private final InMemoryTable table = new InMemoryTable();
    private final InMemoryInserts inserts;
    private final InMemoryPurger purger = new InMemoryPurger(table);

    /** A store that takes the time from the system's clock. */
    public InMemoryOutboxStore() {
        this(Clock.systemUTC());
    }

    /** A store that takes the time of marks and leases from the given clock. */
    public InMemoryOutboxStore(Clock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
        this.inserts = new InMemoryInserts(table, clock);
    }

    /** The state of one event, or null if it is not there or not committed. */
    public @Nullable StoredEvent find(String eventId) {
        StoredRow row = table.row(eventId);
        return row == null || !row.visible() ? null : row.state();
    }

    /** The states of all committed events, oldest first. */
    public List<StoredEvent> all() {
        synchronized (table) {
            return table.select(row -> true).map(StoredRow::state).toList();
        }
    }

    /** Removes everything. */
    public void clear() {
        table.clear();
    }

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        inserts.insert(conn, event);
    }

    @Override
    public boolean canKeepBytes() {
        return true;
    }

    @Override
    public boolean canDelay() {
        return true;
    }

    @Override
    public List<WriteReceipt> insertOnce(Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        return inserts.insertOnce(conn, events, policy);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        synchronized (table) {
            Instant now = clock.instant();
            return table.change(conn, eventId, StoredRow::isPending, state -> StoredRow.done(state, now));
        }
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return table.change(conn, eventId, StoredRow::isPending, state -> StoredRow.retried(state, nextAt, error));
    }

    @Override
    public Map<String, OptionalLong> sequences(Connection conn, Collection<String> eventIds) {
        synchronized (table) {
            Map<String, OptionalLong> sequences = new HashMap<>();
            for (String id : eventIds) {
                StoredRow row = table.row(id);
                if (row != null) {
                    sequences.put(id, OptionalLong.of(row.seq()));
                }
            }
            return sequences;
        }
    }

    @Override
    public int putOffAll(Connection conn, List<Retry> events) {
        return events.stream()
                .mapToInt(event -> table.change(
                        conn,
                        event.eventId(),
                        StoredRow::isPending,
                        state -> StoredRow.putOff(state, event.nextAt(), event.error())))
                .sum();
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
        synchronized (table) {
            Instant now = clock.instant();
            return table.change(conn, eventId, StoredRow::isPending, state -> StoredRow.dead(state, now, error));
        }
    }

    @Override
    public Set<String> present(Connection conn, Collection<String> eventIds) {
        synchronized (table) {
            return table.select(row -> eventIds.contains(row.event().eventId()))
                    .map(row -> row.event().eventId())
                    .collect(Collectors.toSet());
        }
    }

    @Override
    public DeadCount countDeadUpTo(Connection conn, int limit) {
        synchronized (table) {
            List<StoredRow> dead = table.select(row -> row.state().status() == EventStatus.DEAD)
                    .limit(limit)
                    .toList();
            long holding = dead.stream()
                    .filter(row -> OrderedStore.KEY_HELD.equals(row.state().lockedBy()))
                    .count();
            return new DeadCount(dead.size(), (int) holding);
        }
    }

    @Override
    public Backlog countBacklog(Connection conn, int limit) {
        synchronized (table) {
            List<StoredRow> pending =
                    table.select(StoredRow::isPending).limit(limit).toList();
            long locked = pending.stream()
                    .filter(row -> row.state().lockedAt() != null)
                    .count();
            return new Backlog(pending.size(), (int) locked);
        }
    }

    @Override
    public TableOverview overview(Connection conn, int deadLimit, int pendingLimit) {
        synchronized (table) {
            Instant now = clock.instant();
            List<StoredRow> holding = table.select(StoredRow::holdsKey).toList();
            Duration oldest = due(now, Duration.ZERO)
                    .filter(row -> holding.stream().noneMatch(head -> head.hasSameKeyAs(row) && head.seq() < row.seq()))
                    .map(row -> Duration.between(row.state().availableAt(), now))
                    .max(Comparator.naturalOrder())
                    .orElse(null);
            int pending =
                    (int) table.select(StoredRow::isPending).limit(pendingLimit).count();
            return new TableOverview(oldest, countDeadUpTo(conn, deadLimit), pending);
        }
    }

    @Override
    public boolean canDelete() {
        return true;
    }

    @Override
    public int deleteAll(Connection conn, List<String> eventIds) {
        synchronized (table) {
            List<StoredRow> delivered = eventIds.stream()
                    .map(table::row)
                    .filter(row -> row != null && row.isPending())
                    .toList();
            delivered.forEach(row -> table.delete(conn, row));
            return delivered.size();
        }
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        synchronized (table) {
            return due(now, skipRecent).limit(limit).map(StoredRow::event).toList();
        }
    }

    @Override
    public List<OutboxEvent> pollPending(
            Connection conn, Instant now, Duration skipRecent, int limit, Set<EventRoute> leftOut) {
        synchronized (table) {
            return due(now, skipRecent)
                    .filter(row -> !row.isOneOf(leftOut))
                    .limit(limit)
                    .map(StoredRow::event)
                    .toList();
        }
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        Objects.requireNonNull(ownerId, "ownerId");
        synchronized (table) {
            List<OutboxEvent> claimed = due(now, skipRecent)
                    .filter(row -> row.isFree(lockExpiry))
                    .limit(limit)
                    .map(StoredRow::event)
                    .toList();
            claimed.forEach(event ->
                    table.change(conn, event.eventId(), row -> true, state -> StoredRow.locked(state, ownerId, now)));
            return claimed;
        }
    }

    private Stream<StoredRow> due(Instant now, Duration skipRecent) {
        Instant createdUntil = now.minus(skipRecent);
        return table.select(row -> row.isPending()
                && !row.state().availableAt().isAfter(now)
                && !row.event().createdAt().isAfter(createdUntil));
    }

    @Override
    public int releaseClaims(Connection conn, String ownerId, Collection<String> eventIds) {
        synchronized (table) {
            return eventIds.stream()
                    .mapToInt(id -> table.change(
                            conn, id, row -> row.isHeldBy(ownerId), state -> StoredRow.locked(state, null, null)))
                    .sum();
        }
    }

    /** By the clock of this store, which all who share it have in common. */
    @Override
    public LeaseStore leases() {
        return leaseStore();
    }

    private InMemoryLeaseStore leaseStore() {
        return new InMemoryLeaseStore(table, inserts, clock);
    }

    @Override
    public OrderedStore ordered() {
        return new InMemoryOrderedStore(table, inserts, leaseStore());
    }

    @Override
    public Optional<OutboxEvent> event(Connection conn, String eventId) {
        synchronized (table) {
            return table.select(row -> eventId.equals(row.event().eventId()))
                    .map(StoredRow::event)
                    .findFirst();
        }
    }

    @Override
    public List<OutboxEvent> queryDead(
            Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit) {
        synchronized (table) {
            return table.select(StoredRow::isDead)
                    .map(StoredRow::event)
                    .filter(event -> eventType == null || eventType.equals(event.eventType()))
                    .filter(event -> aggregateType == null || aggregateType.equals(event.aggregateType()))
                    .limit(limit)
                    .toList();
        }
    }

    @Override
    public int replayDead(Connection conn, String eventId) {
        synchronized (table) {
            Instant now = clock.instant();
            return table.change(
                    conn,
                    eventId,
                    StoredRow::isDead,
                    state -> new StoredEvent(
                            eventId, EventStatus.NEW, 0, now, state.createdAt(), null, null, null, null));
        }
    }

    @Override
    public int countDead(Connection conn, @Nullable String eventType) {
        return queryDead(conn, eventType, null, Integer.MAX_VALUE).size();
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        return purger.purge(conn, before, limit);
    }

    @Override
    public PurgeRuns runs() {
        return purger.runs();
    }
}
