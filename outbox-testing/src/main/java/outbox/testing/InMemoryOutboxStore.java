package outbox.testing;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.internal.ErrorText;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.EventPurger;
import outbox.spi.OutboxStore;
import outbox.util.JsonCodec;

/**
 * An outbox table in memory, with the same rules as the real ones. Thread-safe.
 *
 * <p>On a connection of {@link InMemoryTransactions} an insert becomes visible when the transaction commits, and all changes are
 * undone when it rolls back. On any other connection, or null, changes are effective at once.
 */
public final class InMemoryOutboxStore implements OutboxStore, EventPurger {

    private static final Comparator<Row> OLDEST_FIRST =
            Comparator.comparing((Row row) -> row.event.createdAt()).thenComparing(row -> row.event.eventId());

    private record Row(OutboxEvent event, StoredEvent state, boolean visible) {

        Row with(UnaryOperator<StoredEvent> change) {
            StoredEvent changed = change.apply(state);
            OutboxEvent counted = new OutboxEvent(
                    event.eventId(),
                    event.eventType(),
                    event.aggregateType(),
                    event.aggregateId(),
                    event.tenantId(),
                    event.payloadJson(),
                    event.headersJson(),
                    changed.attempts(),
                    event.createdAt());
            return new Row(counted, changed, visible);
        }

        Row shown() {
            return new Row(event, state, true);
        }

        boolean isPending() {
            return state.status() == EventStatus.NEW || state.status() == EventStatus.RETRY;
        }

        boolean isDead() {
            return visible && state.status() == EventStatus.DEAD;
        }
    }

    private final Map<String, Row> rows = new HashMap<>();
    private final Clock clock;

    /** A store that takes the time from the system's clock. */
    public InMemoryOutboxStore() {
        this(Clock.systemUTC());
    }

    /** A store that takes the time of marks from the given clock. */
    public InMemoryOutboxStore(Clock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /** The state of one event, or null if it is not there or not committed. */
    public synchronized @Nullable StoredEvent find(String eventId) {
        Row row = rows.get(eventId);
        return row == null || !row.visible ? null : row.state;
    }

    /** The states of all committed events, oldest first. */
    public synchronized List<StoredEvent> all() {
        return select(row -> true).map(Row::state).toList();
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
        rows.put(id, new Row(toRow(event), newState(event), false));
        InMemoryConnection.whenEnded(conn, () -> show(id), () -> remove(id));
    }

    @Override
    public synchronized int markDone(Connection conn, String eventId) {
        Instant now = clock.instant();
        return change(
                conn,
                eventId,
                Row::isPending,
                state -> new StoredEvent(
                        eventId,
                        EventStatus.DONE,
                        state.attempts(),
                        state.availableAt(),
                        state.createdAt(),
                        now,
                        state.lastError(),
                        null,
                        null));
    }

    @Override
    public synchronized int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return change(
                conn,
                eventId,
                Row::isPending,
                state -> new StoredEvent(
                        eventId,
                        EventStatus.RETRY,
                        state.attempts() + 1,
                        nextAt,
                        state.createdAt(),
                        null,
                        ErrorText.limit(error),
                        null,
                        null));
    }

    @Override
    public synchronized int markDead(Connection conn, String eventId, String error) {
        Instant now = clock.instant();
        return change(
                conn,
                eventId,
                Row::isPending,
                state -> new StoredEvent(
                        eventId,
                        EventStatus.DEAD,
                        state.attempts(),
                        state.availableAt(),
                        state.createdAt(),
                        now,
                        ErrorText.limit(error),
                        null,
                        null));
    }

    @Override
    public boolean canDelete() {
        return true;
    }

    @Override
    public synchronized int deleteAll(Connection conn, List<String> eventIds) {
        List<Row> delivered = eventIds.stream()
                .map(rows::get)
                .filter(row -> row != null && row.isPending())
                .toList();
        delivered.forEach(row -> delete(conn, row));
        return delivered.size();
    }

    private void delete(Connection conn, Row row) {
        rows.remove(row.event.eventId());
        InMemoryConnection.whenEnded(conn, () -> {}, () -> restore(row));
    }

    @Override
    public synchronized List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return due(now, skipRecent).limit(limit).map(Row::event).toList();
    }

    @Override
    public synchronized List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        List<OutboxEvent> claimed = due(now, skipRecent)
                .filter(row ->
                        row.state.lockedAt() == null || row.state.lockedAt().isBefore(lockExpiry))
                .limit(limit)
                .map(Row::event)
                .toList();
        claimed.forEach(event -> change(conn, event.eventId(), row -> true, state -> locked(state, ownerId, now)));
        return claimed;
    }

    @Override
    public synchronized int releaseClaims(Connection conn, String ownerId, Collection<String> eventIds) {
        return eventIds.stream()
                .mapToInt(id -> change(
                        conn,
                        id,
                        row -> row.isPending() && ownerId.equals(row.state.lockedBy()),
                        state -> locked(state, null, null)))
                .sum();
    }

    @Override
    public synchronized List<OutboxEvent> queryDead(
            Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit) {
        return select(Row::isDead)
                .map(Row::event)
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
                Row::isDead,
                state -> new StoredEvent(eventId, EventStatus.NEW, 0, now, state.createdAt(), null, null, null, null));
    }

    @Override
    public int countDead(Connection conn, @Nullable String eventType) {
        return queryDead(conn, eventType, null, Integer.MAX_VALUE).size();
    }

    @Override
    public synchronized int purge(Connection conn, Instant before, int limit) {
        List<Row> expired = select(row -> !row.isPending() && endOf(row.state).isBefore(before))
                .limit(limit)
                .toList();
        expired.forEach(row -> delete(conn, row));
        return expired.size();
    }

    private Stream<Row> due(Instant now, Duration skipRecent) {
        Instant createdUntil = now.minus(skipRecent);
        return select(row -> row.isPending()
                && !row.state.availableAt().isAfter(now)
                && !row.event.createdAt().isAfter(createdUntil));
    }

    private Stream<Row> select(Predicate<Row> wanted) {
        return rows.values().stream().filter(Row::visible).filter(wanted).sorted(OLDEST_FIRST);
    }

    private int change(Connection conn, String id, Predicate<Row> allowed, UnaryOperator<StoredEvent> change) {
        Row before = rows.get(id);
        if (before == null || !allowed.test(before)) {
            return 0;
        }
        rows.put(id, before.with(change));
        InMemoryConnection.whenEnded(conn, () -> {}, () -> restore(before));
        return 1;
    }

    private synchronized void show(String id) {
        rows.computeIfPresent(id, (key, row) -> row.shown());
    }

    private synchronized void remove(String id) {
        rows.remove(id);
    }

    private synchronized void restore(Row row) {
        rows.put(row.event.eventId(), row);
    }

    private static Instant endOf(StoredEvent state) {
        return state.doneAt() == null ? state.createdAt() : state.doneAt();
    }

    private static StoredEvent locked(StoredEvent state, @Nullable String owner, @Nullable Instant at) {
        return new StoredEvent(
                state.eventId(),
                state.status(),
                state.attempts(),
                state.availableAt(),
                state.createdAt(),
                state.doneAt(),
                state.lastError(),
                owner,
                at);
    }

    private static StoredEvent newState(EventEnvelope event) {
        Instant at = storedTime(event);
        return new StoredEvent(event.eventId(), EventStatus.NEW, 0, at, at, null, null, null, null);
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
