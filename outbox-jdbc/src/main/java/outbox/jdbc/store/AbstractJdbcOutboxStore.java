package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.internal.ErrorText;
import outbox.internal.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.OwnIsolation;
import outbox.jdbc.TableName;
import outbox.jdbc.internal.EventIds;
import outbox.jdbc.internal.EventRowMapper;
import outbox.jdbc.purge.AbstractJdbcEventPurger;
import outbox.model.OutboxEvent;
import outbox.spi.EventPurger;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore;
import outbox.util.JsonCodec;

/**
 * The outbox table in portable SQL; a dialect overrides what its database does better. Thread-safe: a store has no state but its
 * settings, and what it has learnt of the table's columns.
 *
 * <p><b>Claiming</b> works in two phases. First the ids of free events are read without any lock, oldest first. Then one update
 * takes them, and repeats the whole condition: the database checks it again on the current version of each row, under the row's
 * lock, so of two owners that saw the same free event only one gets it. What was won is what carries this claim's owner and time.
 * Because the update finds its rows by primary key it locks nothing but them, which keeps inserts and other claims out of its way
 * on every isolation level.
 */
public abstract class AbstractJdbcOutboxStore implements OutboxStore {

    static final String PENDING = "status IN (0, 2)";
    static final String DUE = "available_at <= ? AND created_at <= ?";
    private static final String FREE = "(locked_at IS NULL OR locked_at < ?)";
    private static final String CLAIMABLE = PENDING + " AND " + DUE + " AND " + FREE;
    static final String OLDEST_FIRST = " ORDER BY created_at, event_id";
    private static final String COLUMNS = EventRowMapper.COLUMNS;

    /** How often a claim looks again after other owners took everything that it had seen. */
    static final int CLAIM_TRIES = 3;

    static final Comparator<OutboxEvent> CLAIM_ORDER =
            Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId);

    private final TableName table;
    private final JsonCodec codec;
    private final @Nullable DatabaseTime time;
    private final TableColumns columns;
    private final OnceInsert once;
    private final InsertStatements inserts;
    private final @Nullable LeaseStore leases;
    private final @Nullable OrderedStore ordered;
    private int markTimeoutSeconds;

    /** A store on the given table that writes headers with the given codec. */
    protected AbstractJdbcOutboxStore(TableName table, JsonCodec codec) {
        this(table, codec, null);
    }

    /** With the time of the database, or null if the dialect cannot ask for it, and hence cannot lease by it. */
    AbstractJdbcOutboxStore(TableName table, JsonCodec codec, @Nullable DatabaseTime time) {
        this.table = Objects.requireNonNull(table, "table");
        this.codec = Objects.requireNonNull(codec, "codec");
        this.time = time;
        this.columns = new TableColumns(table);
        this.once = new OnceInsert(this);
        this.inserts = newInserts(table, codec, null);
        this.leases = time == null ? null : new JdbcLeaseStore(this, time);
        this.ordered = time == null ? null : new JdbcOrderedStore(this, new JdbcLeaseStore(this, time), time);
    }

    /** The name of the dialect, by which {@link JdbcOutboxStores#get} finds it. */
    public abstract String name();

    /** The beginnings of the JDBC URLs that this dialect serves. */
    public abstract List<String> jdbcUrlPrefixes();

    /** A store of the same dialect on another table or with another codec. */
    protected AbstractJdbcOutboxStore newInstance(TableName table, JsonCodec codec) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override newInstance");
    }

    /** Whether this dialect is the right one for the database behind the connection. By default asks its URL. */
    protected boolean supports(DatabaseMetaData database) throws SQLException {
        String url = database.getURL();
        return url != null && supportsUrl(url);
    }

    final boolean supportsUrl(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        return jdbcUrlPrefixes().stream().anyMatch(lower::startsWith);
    }

    /** The table that this store works on. */
    public final TableName table() {
        return table;
    }

    /** What deletes the finished events of this table; here with statements that H2 and PostgreSQL understand. */
    public EventPurger purger() {
        return new AbstractJdbcEventPurger(table) {};
    }

    @Override
    public final String tableName() {
        return table.toString();
    }

    final JsonCodec codec() {
        return codec;
    }

    /**
     * The level of the outbox's own transactions on connections that come with the given one, as in {@link Connection}. By default they
     * are left as they are.
     */
    protected OwnIsolation ownIsolation(int level) {
        return OwnIsolation.AS_IT_IS;
    }

    /** How JSON text is bound; by default as a string. */
    protected @Nullable Object jsonParameter(@Nullable String json) {
        return json;
    }

    /** How a time is bound that is written with each event; by default as any other. */
    protected Object timeParameter(Instant time) {
        return time;
    }

    /** What stands behind the table's name in statements that must find their rows by primary key. By default nothing. */
    protected String primaryKeyHint() {
        return "";
    }

    /** How a statement begins that deletes rows and must find them by primary key. */
    String deletion() {
        return "DELETE FROM " + table;
    }

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        insertBatch(conn, List.of(event));
    }

    @Override
    public void insertBatch(Connection conn, List<EventEnvelope> events) {
        insert(events, () -> inserts.forSize(events.size()).execute(conn, events, BornLeased.NONE));
    }

    @Override
    public List<WriteReceipt> insertOnce(Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        return insertOnce(conn, events, policy, inserts, BornLeased.NONE);
    }

    final List<WriteReceipt> insertOnce(
            Connection conn,
            List<EventEnvelope> events,
            DuplicatePolicy policy,
            InsertStatements statements,
            BornLeased leased) {
        return insertOnce(
                conn, events, policy, (chunk, found) -> insertMissing(conn, statements, chunk, leased, found));
    }

    final List<WriteReceipt> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, OnceInsert.Attempt attempt) {
        return insert(events, () -> once.execute(conn, events, policy, attempt));
    }

    /** Inserts what is not there yet; by default so that a failed insert must leave the transaction usable. */
    void insertMissing(
            Connection conn,
            InsertStatements statements,
            List<EventEnvelope> chunk,
            BornLeased leased,
            OnceInsert.Found found)
            throws SQLException {
        if (statements.one() instanceof ValuesInsert values) {
            new PortableOnce(this, once, values).insert(conn, chunk, leased, found);
        }
    }

    /** What stands behind a query that must see what was committed a moment ago. By default nothing, which is right for READ COMMITTED. */
    String currentReadClause() {
        return "";
    }

    /**
     * Turns an insert into a statement that yields the id and sequence of each row; null, the default, if there is none. H2's {@code FINAL
     * TABLE} is none: when it fails, the rows that came before stay.
     */
    @Nullable
    String returningSequences(String insert) {
        return null;
    }

    final TableColumns columns() {
        return columns;
    }

    /** The time of the database, or null if the dialect cannot ask for it. */
    final @Nullable DatabaseTime databaseTime() {
        return time;
    }

    @Override
    public boolean canDelay() {
        return true;
    }

    /**
     * How this dialect inserts; by default with a row of values for each event. Called before a subclass has its own fields.
     *
     * @param leasedAt the time of the events' leases; null to lease nothing
     */
    InsertStatements newInserts(TableName table, JsonCodec codec, @Nullable DatabaseTime leasedAt) {
        InsertStatement values = new ValuesInsert(table, codec, this, leasedAt);
        return new InsertStatements(values, values);
    }

    @Override
    public @Nullable LeaseStore leases() {
        return leases;
    }

    @Override
    public @Nullable OrderedStore ordered() {
        return ordered;
    }

    /**
     * How this dialect inserts events that have an order; null, the default, if it cannot tell in the same statement how they stand. Called
     * before a subclass has its own fields.
     */
    @Nullable
    OrderedInsert newOrderedInsert(TableName table, JsonCodec codec, DatabaseTime time) {
        return null;
    }

    /** How this dialect finds the events of keys. Called before a subclass has its own fields. */
    KeyQuery newKeyQuery(TableName table) {
        return KeysByLists.ofAnyDatabase(table);
    }

    /** Whether the database can pass over rows that somebody has locked. By default not: then who wants them waits for them. */
    boolean skipsLocked(DatabaseMetaData database) throws SQLException {
        return false;
    }

    /**
     * How rows are locked that are about to be taken. Those that are locked already are left to others where the database can do that:
     * who has locked them may have been stopped in the middle of its transaction, and be waited for as long as it stands still.
     */
    final String lockClause(Connection conn) throws SQLException {
        return " FOR UPDATE" + (skipsLocked(conn.getMetaData()) ? " SKIP LOCKED" : "");
    }

    /** Whether {@link #lockOrSkip} can pass over locked rows. By default as claims do. */
    boolean canSkipLocked(DatabaseMetaData database) throws SQLException {
        return skipsLocked(database);
    }

    /**
     * Whether a statement can be given a limit of time at no cost, neither another statement nor a setting of the session. By default not,
     * which is right for a database that does not let a statement wait for long. Where it can, {@link #newInstance} must work.
     */
    protected boolean limitsStatements() {
        return false;
    }

    /** {@inheritDoc} The limit is rounded up to seconds. */
    @Override
    public OutboxStore withMarkTimeout(Duration timeout) {
        if (!limitsStatements()) {
            return this;
        }
        AbstractJdbcOutboxStore limited = newInstance(table, codec);
        limited.markTimeoutSeconds = (int) Math.max(1, timeout.plusMillis(999).toSeconds());
        return limited;
    }

    /** How long a mark may take; 0 sets no limit. */
    final int markTimeoutSeconds() {
        return markTimeoutSeconds;
    }

    @Override
    public boolean canSkipLocked(Connection conn) {
        return run("ask for the database's version", () -> canSkipLocked(conn.getMetaData()));
    }

    @Override
    public Set<String> lockOrSkip(Connection conn, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return Set.of();
        }
        return run("lock " + eventIds.size() + " event(s)", () -> {
            Set<String> others = new HashSet<>(eventIds);
            others.removeAll(existing(conn, eventIds, " FOR UPDATE SKIP LOCKED"));
            // What is not there has not been locked by anybody.
            return others.isEmpty() ? others : existing(conn, others, "");
        });
    }

    private Set<String> existing(Connection conn, Collection<String> eventIds, String lockClause) throws SQLException {
        EventIds ids = eventIds(eventIds);
        String sql = "SELECT event_id FROM " + table + primaryKeyHint() + " WHERE " + ids.condition() + lockClause;
        return new HashSet<>(JdbcTemplate.query(
                conn, sql, row -> row.getString(1), ids.params().toArray()));
    }

    /** Whether a claim can be one statement that locks, skips what is locked, updates and returns. */
    boolean claimsInOneStatement() {
        return false;
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        String sql = "UPDATE " + table + " SET status = 1, done_at = ?, locked_by = NULL, locked_at = NULL"
                + " WHERE event_id = ? AND " + PENDING;
        return mark("mark event " + eventId + " DONE", conn, sql, Instant.now(), eventId);
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return mark("mark event " + eventId + " RETRY", conn, markRetrySql(), nextAt, ErrorText.limit(error), eventId);
    }

    private String markRetrySql() {
        return "UPDATE " + table + " SET status = 2, attempts = attempts + 1, available_at = ?, last_error = ?,"
                + " locked_by = NULL, locked_at = NULL WHERE event_id = ? AND " + PENDING;
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
        return mark(
                "mark event " + eventId + " DEAD", conn, markDeadSql(), Instant.now(), ErrorText.limit(error), eventId);
    }

    private String markDeadSql() {
        return "UPDATE " + table + " SET status = 3, done_at = ?, last_error = ?,"
                + " locked_by = NULL, locked_at = NULL WHERE event_id = ? AND " + PENDING;
    }

    @Override
    public int markDoneAll(Connection conn, List<String> eventIds) {
        if (eventIds.isEmpty()) {
            return 0;
        }
        EventIds ids = eventIds(eventIds);
        String sql = "UPDATE " + table + primaryKeyHint()
                + " SET status = 1, done_at = ?, locked_by = NULL, locked_at = NULL WHERE " + ids.condition() + " AND "
                + PENDING;
        return mark("mark " + eventIds.size() + " event(s) DONE", conn, sql, ids.paramsAfter(Instant.now()));
    }

    @Override
    public boolean canDelete() {
        return true;
    }

    @Override
    public int deleteAll(Connection conn, List<String> eventIds) {
        if (eventIds.isEmpty()) {
            return 0;
        }
        EventIds ids = eventIds(eventIds);
        String sql = deletion() + " WHERE " + ids.condition() + " AND " + PENDING;
        return mark(
                "delete " + eventIds.size() + " delivered event(s)",
                conn,
                sql,
                ids.params().toArray());
    }

    @Override
    public int markRetryAll(Connection conn, List<Retry> retries) {
        return markEach(
                "mark " + retries.size() + " event(s) RETRY",
                conn,
                markRetrySql(),
                retries.stream()
                        .map(retry -> new Object[] {retry.nextAt(), ErrorText.limit(retry.error()), retry.eventId()})
                        .toList());
    }

    @Override
    public int markDeadAll(Connection conn, List<Dead> dead) {
        Instant now = Instant.now();
        return markEach(
                "mark " + dead.size() + " event(s) DEAD",
                conn,
                markDeadSql(),
                dead.stream()
                        .map(event -> new Object[] {now, ErrorText.limit(event.error()), event.eventId()})
                        .toList());
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        Instant createdUntil = now.minus(skipRecent);
        PendingIds due = pendingIds(DUE, limit, now, createdUntil);
        return readInOrder("poll pending events", conn, due.sql(), due.params().toArray());
    }

    /**
     * Reads the events whose ids a query yields. Only ids are sorted and cut off by the database, the events themselves here: a sort
     * that carries payloads along fails on MySQL when one does not fit into its sort buffer.
     */
    private List<OutboxEvent> readInOrder(String what, Connection conn, String idQuery, Object... params) {
        String sql = "SELECT " + COLUMNS + " FROM " + table + " WHERE event_id IN (SELECT event_id FROM (" + idQuery
                + ") wanted)";
        List<OutboxEvent> events = run(what, () -> JdbcTemplate.query(conn, sql, new EventRowMapper(), params));
        events.sort(CLAIM_ORDER);
        return events;
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        Claim claim = new Claim(ownerId, now, lockExpiry, now.minus(skipRecent), limit);
        List<OutboxEvent> claimed = new ArrayList<>(run("claim events", () -> claim(conn, claim)));
        claimed.sort(CLAIM_ORDER);
        return claimed;
    }

    /** One wish to take events. */
    private record Claim(String ownerId, Instant now, Instant lockExpiry, Instant createdUntil, int limit) {}

    /** Takes events in one transaction and returns them in any order. */
    private List<OutboxEvent> claim(Connection conn, Claim claim) throws SQLException {
        if (claimsInOneStatement()) {
            return claimReturning(conn, claim);
        }
        for (int tries = 1; ; tries++) {
            List<String> free = findClaimable(conn, claim);
            if (free.isEmpty()) {
                return List.of();
            }
            List<OutboxEvent> won = ShortTransaction.atomically(conn, transaction -> take(transaction, claim, free));
            if (!won.isEmpty() || tries == CLAIM_TRIES) {
                return won;
            }
        }
    }

    private List<String> findClaimable(Connection conn, Claim claim) throws SQLException {
        PendingIds free =
                pendingIds(DUE + " AND " + FREE, claim.limit, claim.now, claim.createdUntil, claim.lockExpiry);
        return JdbcTemplate.query(
                conn, free.sql(), row -> row.getString(1), free.params().toArray());
    }

    private List<OutboxEvent> take(Connection conn, Claim claim, List<String> candidates) throws SQLException {
        EventIds ids = eventIds(candidates);
        String update = "UPDATE " + table + primaryKeyHint() + " SET locked_by = ?, locked_at = ? WHERE "
                + ids.condition() + " AND " + CLAIMABLE;
        List<Object> params = new ArrayList<>(List.of(claim.ownerId, claim.now));
        params.addAll(ids.params());
        Collections.addAll(params, claim.now, claim.createdUntil, claim.lockExpiry);
        if (JdbcTemplate.update(conn, update, params.toArray()) == 0) {
            return List.of();
        }
        String select = "SELECT " + COLUMNS + " FROM " + table + primaryKeyHint() + " WHERE " + ids.condition()
                + " AND locked_by = ? AND locked_at = ?";
        List<Object> mine = new ArrayList<>(ids.params());
        Collections.addAll(mine, claim.ownerId, claim.now);
        return JdbcTemplate.query(conn, select, new EventRowMapper(), mine.toArray());
    }

    /** The ids of pending events that meet a condition, oldest first. */
    record PendingIds(String sql, List<Object> params) {}

    /**
     * Each of the two pending states is looked up on its own, in the order of the index on (status, created_at, event_id), and stops
     * at the limit: finished events cost nothing, and there is nothing to sort but the two results.
     */
    PendingIds pendingIds(String condition, int limit, Object... conditionParams) {
        return pending("event_id", condition, limit, conditionParams);
    }

    /** As {@link #pendingIds}, with other columns; conditions may name the table {@code candidate}. */
    PendingIds pending(String columns, String condition, int limit, Object... conditionParams) {
        String found = "(SELECT " + columns + ", created_at FROM " + table + " candidate WHERE status = ";
        String first = " AND " + condition + " ORDER BY status, created_at, event_id LIMIT ?)";
        String sql = "SELECT " + columns + " FROM (" + found + "0" + first + " UNION ALL " + found + "2" + first
                + ") pending" + OLDEST_FIRST + " LIMIT ?";
        List<Object> params = new ArrayList<>();
        for (int state = 0; state < 2; state++) {
            Collections.addAll(params, conditionParams);
            params.add(limit);
        }
        params.add(limit);
        return new PendingIds(sql, params);
    }

    /** How several events are named in a condition; by default by a list of placeholders. */
    EventIds eventIds(Collection<String> ids) {
        return EventIds.inList(ids);
    }

    /** The claim in one statement, for a database that can lock, skip what is locked, update and return at once. */
    private List<OutboxEvent> claimReturning(Connection conn, Claim claim) throws SQLException {
        String sql = "WITH free AS (SELECT event_id FROM " + table + " WHERE " + CLAIMABLE + OLDEST_FIRST
                + " LIMIT ? FOR UPDATE SKIP LOCKED) UPDATE " + table
                + " AS event SET locked_by = ?, locked_at = ? FROM free WHERE event.event_id = free.event_id RETURNING "
                + "event." + COLUMNS.replace(", ", ", event.");
        return ShortTransaction.atomically(
                conn,
                transaction -> JdbcTemplate.updateReturning(
                        transaction,
                        sql,
                        new EventRowMapper(),
                        claim.now,
                        claim.createdUntil,
                        claim.lockExpiry,
                        claim.limit,
                        claim.ownerId,
                        claim.now));
    }

    @Override
    public int releaseClaims(Connection conn, String ownerId, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return 0;
        }
        EventIds ids = eventIds(eventIds);
        String sql = "UPDATE " + table + primaryKeyHint() + " SET locked_by = NULL, locked_at = NULL WHERE "
                + ids.condition() + " AND locked_by = ? AND " + PENDING;
        List<Object> params = new ArrayList<>(ids.params());
        params.add(ownerId);
        return update("release " + eventIds.size() + " event(s)", conn, sql, params.toArray());
    }

    @Override
    public List<OutboxEvent> queryDead(
            Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit) {
        DeadFilter filter = new DeadFilter(eventType, aggregateType);
        String ids = "SELECT event_id FROM " + table + filter.where() + OLDEST_FIRST + " LIMIT ?";
        return readInOrder("query dead events", conn, ids, filter.params(limit));
    }

    @Override
    public int replayDead(Connection conn, String eventId) {
        String sql = "UPDATE " + table + " SET status = 0, attempts = 0, available_at = ?, last_error = NULL,"
                + " done_at = NULL, locked_by = NULL, locked_at = NULL WHERE event_id = ? AND status = 3";
        return update("replay event " + eventId, conn, sql, Instant.now(), eventId);
    }

    @Override
    public int countDead(Connection conn, @Nullable String eventType) {
        DeadFilter filter = new DeadFilter(eventType, null);
        String sql = "SELECT COUNT(*) FROM " + table + filter.where();
        return run("count dead events", () -> JdbcTemplate.query(conn, sql, row -> row.getInt(1), filter.params()))
                .get(0);
    }

    /** Reads no further than the limit in the index of pending events. */
    @Override
    public Backlog countBacklog(Connection conn, int limit) {
        PendingIds pending = pending("event_id, locked_at", "1 = 1", limit);
        String sql = "SELECT COUNT(*), COUNT(locked_at) FROM (" + pending.sql() + ") backlog";
        return run(
                        "count pending events",
                        () -> JdbcTemplate.query(
                                conn,
                                sql,
                                row -> new Backlog(row.getInt(1), row.getInt(2)),
                                pending.params().toArray()))
                .get(0);
    }

    /**
     * Checks that the table is there with all its columns.
     *
     * @throws OutboxStoreException that names what is missing and the script that creates it
     */
    @Override
    public void checkSchema(Connection conn) {
        new SchemaCheck(table, name()).requireTable(conn);
    }

    private int update(String what, Connection conn, String sql, @Nullable Object... params) {
        return run(what, () -> JdbcTemplate.update(conn, sql, params));
    }

    private int mark(String what, Connection conn, String sql, @Nullable Object... params) {
        return run(what, () -> JdbcTemplate.updateWithin(markTimeoutSeconds, conn, sql, params));
    }

    private int markEach(String what, Connection conn, String sql, List<Object[]> rows) {
        return JdbcTemplate.sum(
                run(what, () -> JdbcTemplate.batchUpdateCountsWithin(markTimeoutSeconds, conn, sql, rows)));
    }

    final <T> T run(String what, SqlCall<T> call) {
        try {
            return call.run();
        } catch (SQLException e) {
            throw OutboxStoreException.of(what, table, e);
        }
    }

    /** Inserts, and says in case of a refusal what is wrong with the events. */
    final <T> T insert(List<EventEnvelope> events, SqlCall<T> call) {
        try {
            return call.run();
        } catch (SQLException e) {
            throw RefusedInsert.of(events, table, e);
        }
    }

    @FunctionalInterface
    interface SqlCall<T> {
        T run() throws SQLException;
    }
}
