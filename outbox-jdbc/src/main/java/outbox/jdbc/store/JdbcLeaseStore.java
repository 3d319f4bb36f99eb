package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.internal.ErrorText;
import outbox.internal.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.internal.Deadlocks;
import outbox.jdbc.internal.EventIds;
import outbox.jdbc.internal.EventRowMapper;
import outbox.model.OutboxEvent;
import outbox.model.OutboxNode;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;

/**
 * Leases in the columns {@code locked_by} and {@code locked_at}, by the time of the database. See {@link AbstractJdbcOutboxStore} for
 * how a claim works; this one differs in the clock, in what it says of leases that have expired, and in what is due, see
 * {@link LeaseSql}.
 */
final class JdbcLeaseStore implements LeaseStore {

    private static final String PENDING = AbstractJdbcOutboxStore.PENDING;
    private static final String HELD = " AND locked_by = ? AND " + PENDING;
    private static final String FREED = ", locked_by = NULL, locked_at = NULL";

    private final AbstractJdbcOutboxStore store;
    private final TableName table;
    private final DatabaseTime time;
    private final InsertStatements inserts;
    private final LeaseSql sql;
    private final NodeRegister nodes;

    JdbcLeaseStore(AbstractJdbcOutboxStore store, DatabaseTime time) {
        this.store = store;
        this.table = store.table();
        this.time = time;
        this.inserts = store.newInserts(table, store.codec(), time);
        this.sql = new LeaseSql(time);
        this.nodes = new NodeRegister(store, time);
    }

    @Override
    public void insertLeased(Connection conn, List<EventEnvelope> events, String ownerId) {
        store.insert(events, () -> inserts.forSize(events.size()).execute(conn, events, BornLeased.allDue(ownerId)));
    }

    @Override
    public List<WriteReceipt> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId, Set<String> leased) {
        return store.insertOnce(conn, events, policy, inserts, BornLeased.these(ownerId, leased));
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit) {
        LeaseSql.Condition free = sql.free(timeout, skipRecent);
        List<OutboxEvent> claimed = new ArrayList<>(change(
                "claim events",
                conn,
                () -> store.claimsInOneStatement()
                        ? claimReturning(conn, ownerId, free, limit)
                        : claimInTwoPhases(conn, ownerId, free, limit)));
        claimed.sort(AbstractJdbcOutboxStore.CLAIM_ORDER);
        return claimed;
    }

    private List<OutboxEvent> claimReturning(Connection conn, String ownerId, LeaseSql.Condition free, int limit)
            throws SQLException {
        String claim = "WITH free AS (SELECT event_id FROM " + table + " WHERE " + PENDING + " AND " + free.sql()
                + AbstractJdbcOutboxStore.OLDEST_FIRST + " LIMIT ? FOR UPDATE SKIP LOCKED) UPDATE " + table
                + " AS event" + sql.takeOver() + " FROM free WHERE event.event_id = free.event_id RETURNING event."
                + EventRowMapper.COLUMNS.replace(", ", ", event.");
        List<Object> params = new ArrayList<>(free.params());
        Collections.addAll(params, limit, ownerId);
        // Should there be no memory for the rows, nothing is claimed: nobody would know of it until the leases expire.
        return ShortTransaction.atomically(
                conn,
                transaction ->
                        JdbcTemplate.updateReturning(transaction, claim, new EventRowMapper(), params.toArray()));
    }

    private List<OutboxEvent> claimInTwoPhases(Connection conn, String ownerId, LeaseSql.Condition free, int limit)
            throws SQLException {
        for (int tries = 1; ; tries++) {
            AbstractJdbcOutboxStore.PendingIds wanted =
                    store.pendingIds(free.sql(), limit, free.params().toArray());
            List<String> seen = JdbcTemplate.query(
                    conn, wanted.sql(), row -> row.getString(1), wanted.params().toArray());
            if (seen.isEmpty()) {
                return List.of();
            }
            List<OutboxEvent> won =
                    ShortTransaction.atomically(conn, transaction -> take(transaction, ownerId, free, seen));
            if (!won.isEmpty() || tries == AbstractJdbcOutboxStore.CLAIM_TRIES) {
                return won;
            }
        }
    }

    /**
     * Reads under lock what is still free, then takes it. The other way round it could not be told which events were taken now and which
     * the same owner took or renewed a moment ago.
     */
    private List<OutboxEvent> take(Connection conn, String ownerId, LeaseSql.Condition free, List<String> seen)
            throws SQLException {
        EventIds ids = store.eventIds(seen);
        String select = "SELECT " + LeaseSql.COLUMNS_WHEN_TAKEN + " FROM " + table + store.primaryKeyHint() + " WHERE "
                + ids.condition() + " AND " + PENDING + " AND " + free.sql() + store.lockClause(conn);
        List<Object> params = new ArrayList<>(ids.params());
        params.addAll(free.params());
        List<OutboxEvent> won = JdbcTemplate.query(conn, select, new EventRowMapper(), params.toArray());
        if (won.isEmpty()) {
            return won;
        }
        EventIds wonIds = store.eventIds(won.stream().map(OutboxEvent::eventId).toList());
        String update = "UPDATE " + table + store.primaryKeyHint() + sql.takeOver() + " WHERE " + wonIds.condition();
        JdbcTemplate.update(conn, update, wonIds.paramsAfter(ownerId));
        return won;
    }

    @Override
    public Set<String> renew(Connection conn, String ownerId, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return Set.of();
        }
        return change("renew " + eventIds.size() + " lease(s)", conn, () -> {
            if (!store.skipsLocked(conn.getMetaData())) {
                return renewAll(conn, ownerId, eventIds);
            }
            return store.claimsInOneStatement()
                    ? renewUnlocked(conn, ownerId, eventIds)
                    : ShortTransaction.atomically(
                            conn, transaction -> renewWhatCanBeLocked(transaction, ownerId, eventIds));
        });
    }

    /**
     * Waits for nobody. The rows of a group of outcomes that is being recorded are locked, and its next one may be among those that the
     * renewal has locked already: each would wait for the other until the server ends one of them. And one row that is locked by a process
     * which stands still must not keep all other leases from being renewed.
     */
    private Set<String> renewUnlocked(Connection conn, String ownerId, Collection<String> eventIds)
            throws SQLException {
        EventIds ids = store.eventIds(eventIds);
        String update = "WITH unlocked AS (SELECT event_id FROM " + table + " WHERE " + ids.condition() + HELD
                + " FOR UPDATE SKIP LOCKED) UPDATE " + table + " AS event SET locked_at = " + time.now()
                + " FROM unlocked WHERE event.event_id = unlocked.event_id RETURNING event.event_id";
        return new HashSet<>(
                JdbcTemplate.updateReturning(conn, update, row -> row.getString(1), withOwner(ids, ownerId)));
    }

    /** As {@link #renewUnlocked}, where an update does not tell which rows it has changed. */
    private Set<String> renewWhatCanBeLocked(Connection conn, String ownerId, Collection<String> eventIds)
            throws SQLException {
        Set<String> locked = heldBy(conn, ownerId, eventIds, store.lockClause(conn));
        if (!locked.isEmpty()) {
            EventIds ids = store.eventIds(locked);
            JdbcTemplate.update(
                    conn,
                    "UPDATE " + table + store.primaryKeyHint() + " SET locked_at = " + time.now() + " WHERE "
                            + ids.condition(),
                    ids.params().toArray());
        }
        return locked;
    }

    private Set<String> renewAll(Connection conn, String ownerId, Collection<String> eventIds) throws SQLException {
        EventIds ids = store.eventIds(eventIds);
        String update = "UPDATE " + table + store.primaryKeyHint() + " SET locked_at = " + time.now() + " WHERE "
                + ids.condition() + HELD;
        return JdbcTemplate.update(conn, update, withOwner(ids, ownerId)) == eventIds.size()
                ? new HashSet<>(eventIds)
                : heldBy(conn, ownerId, eventIds, "");
    }

    private Set<String> heldBy(Connection conn, String ownerId, Collection<String> eventIds, String lockClause)
            throws SQLException {
        EventIds ids = store.eventIds(eventIds);
        String select = "SELECT event_id FROM " + table + store.primaryKeyHint() + " WHERE " + ids.condition() + HELD
                + lockClause;
        return new HashSet<>(JdbcTemplate.query(conn, select, row -> row.getString(1), withOwner(ids, ownerId)));
    }

    @Override
    public Set<String> stillHeld(Connection conn, String ownerId, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return Set.of();
        }
        return store.run(
                "look for " + eventIds.size() + " lease(s)",
                () -> store.skipsLocked(conn.getMetaData()) ? heldBy(conn, ownerId, eventIds, "") : Set.of());
    }

    @Override
    public int release(Connection conn, String ownerId, List<Held> events) {
        int released = 0;
        for (Map.Entry<Integer, List<String>> group : byAttempts(events).entrySet()) {
            EventIds ids = store.eventIds(group.getValue());
            List<Object> params = new ArrayList<>(ids.params());
            Collections.addAll(params, group.getKey(), ownerId);
            released += change(
                    "release " + group.getValue().size() + " event(s)",
                    conn,
                    () -> JdbcTemplate.update(
                            conn,
                            "UPDATE " + table + store.primaryKeyHint()
                                    + " SET locked_by = NULL, locked_at = NULL WHERE " + ids.condition()
                                    + " AND attempts = ?" + HELD,
                            params.toArray()));
        }
        return released;
    }

    /** Nearly all have none. */
    private static Map<Integer, List<String>> byAttempts(List<Held> events) {
        return events.stream()
                .collect(Collectors.groupingBy(
                        Held::attempts, TreeMap::new, Collectors.mapping(Held::eventId, Collectors.toList())));
    }

    private static Object[] withOwner(EventIds ids, String ownerId) {
        List<Object> params = new ArrayList<>(ids.params());
        params.add(ownerId);
        return params.toArray();
    }

    @Override
    public Set<String> markDone(Connection conn, String ownerId, List<Held> events) {
        // By this value the rows are recognised that were marked here, if not all could be.
        Instant doneAt = Instant.now().truncatedTo(ChronoUnit.MICROS);
        return finish("mark " + events.size() + " event(s) DONE", conn, events, new Finish() {

            @Override
            public int apply(EventIds ids, int attempts) throws SQLException {
                List<Object> params = new ArrayList<>(List.of(doneAt));
                params.addAll(ids.params());
                Collections.addAll(params, attempts, ownerId);
                return JdbcTemplate.updateWithin(
                        store.markTimeoutSeconds(),
                        conn,
                        "UPDATE " + table + store.primaryKeyHint() + " SET status = 1, done_at = ?" + FREED + " WHERE "
                                + ids.condition() + " AND attempts = ?" + HELD,
                        params.toArray());
            }

            @Override
            public List<String> notApplied(EventIds ids, List<String> given) throws SQLException {
                List<Object> params = new ArrayList<>(ids.params());
                params.add(doneAt);
                List<String> done = JdbcTemplate.query(
                        conn,
                        "SELECT event_id FROM " + table + " WHERE " + ids.condition()
                                + " AND status = 1 AND done_at = ?",
                        row -> row.getString(1),
                        params.toArray());
                return given.stream().filter(id -> !done.contains(id)).toList();
            }
        });
    }

    @Override
    public Set<String> delete(Connection conn, String ownerId, List<Held> events) {
        return finish("delete " + events.size() + " delivered event(s)", conn, events, new Finish() {

            @Override
            public int apply(EventIds ids, int attempts) throws SQLException {
                List<Object> params = new ArrayList<>(ids.params());
                Collections.addAll(params, attempts, ownerId);
                return JdbcTemplate.updateWithin(
                        store.markTimeoutSeconds(),
                        conn,
                        store.deletion() + " WHERE " + ids.condition() + " AND attempts = ?" + HELD,
                        params.toArray());
            }

            /** One that is gone may have been deleted by another owner; that cannot be told any more. */
            @Override
            public List<String> notApplied(EventIds ids, List<String> given) throws SQLException {
                return JdbcTemplate.query(
                        conn,
                        "SELECT event_id FROM " + table + " WHERE " + ids.condition(),
                        row -> row.getString(1),
                        ids.params().toArray());
            }
        });
    }

    /** The end of delivered events. */
    private interface Finish {

        /** Finishes those that are held, all taken with the same number of attempts, and returns how many. */
        int apply(EventIds ids, int attempts) throws SQLException;

        /** Finds those that were not finished because they are not held any more. */
        List<String> notApplied(EventIds ids, List<String> given) throws SQLException;
    }

    /** One statement for all that have the same number of attempts behind them. */
    private Set<String> finish(String what, Connection conn, List<Held> events, Finish finish) {
        Set<String> late = new LinkedHashSet<>();
        byAttempts(events).forEach((attempts, given) -> {
            EventIds ids = store.eventIds(given);
            late.addAll(change(what, conn, () -> {
                return finish.apply(ids, attempts) == given.size() ? List.of() : finish.notApplied(ids, given);
            }));
        });
        return late;
    }

    @Override
    public Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries) {
        String update = "UPDATE " + table + " SET status = 2, attempts = attempts + 1, available_at = "
                + time.nowPlusMicros() + ", last_error = ?" + FREED + " WHERE event_id = ? AND attempts = ?" + HELD;
        return eachInABatch(
                "mark " + retries.size() + " event(s) RETRY",
                conn,
                update,
                retries.stream().map(HeldRetry::held).toList(),
                retries.stream()
                        .map(retry -> new Object[] {
                            LeaseSql.micros(retry.delay()),
                            ErrorText.limit(retry.error()),
                            retry.held().eventId(),
                            retry.held().attempts(),
                            ownerId
                        })
                        .toList());
    }

    @Override
    public Set<String> markDead(Connection conn, String ownerId, List<HeldDead> dead) {
        String update = "UPDATE " + table + " SET status = 3, done_at = " + time.now()
                + ", last_error = COALESCE(?, last_error, '" + USED_UP + "'), locked_by = ?, locked_at = NULL"
                + " WHERE event_id = ? AND attempts = ?" + HELD;
        return eachInABatch(
                "mark " + dead.size() + " event(s) DEAD",
                conn,
                update,
                dead.stream().map(HeldDead::held).toList(),
                dead.stream()
                        .map(event -> new Object[] {
                            event.error() == null ? null : ErrorText.limit(event.error()),
                            event.holdsKey() ? OrderedStore.KEY_HELD : null,
                            event.held().eventId(),
                            event.held().attempts(),
                            ownerId
                        })
                        .toList());
    }

    private Set<String> eachInABatch(String what, Connection conn, String sql, List<Held> events, List<Object[]> rows) {
        // In one transaction, so that nothing of it was done yet if it is repeated.
        int[] counts = change(
                what,
                conn,
                () -> ShortTransaction.atomically(
                        conn,
                        transaction -> JdbcTemplate.batchUpdateCountsWithin(
                                store.markTimeoutSeconds(), transaction, sql, rows)));
        Set<String> late = new LinkedHashSet<>();
        for (int i = 0; i < counts.length; i++) {
            // A driver that does not tell has at least not failed.
            if (counts[i] == 0) {
                late.add(events.get(i).eventId());
            }
        }
        return late;
    }

    @Override
    public void heartbeat(Connection conn, String ownerId) {
        nodes.heartbeat(conn, ownerId);
    }

    @Override
    public void forgetNode(Connection conn, String ownerId) {
        nodes.forget(conn, ownerId);
    }

    @Override
    public List<OutboxNode> nodes(Connection conn) {
        return nodes.all(conn);
    }

    private <T> T change(String what, Connection conn, AbstractJdbcOutboxStore.SqlCall<T> call) {
        return store.run(what, () -> Deadlocks.retry(conn, call::run));
    }
}
