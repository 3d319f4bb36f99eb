package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.model.EventRoute;
import outbox.model.OutboxEvent;
import outbox.spi.CompactionStore;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore;
import outbox.spi.PauseStore;
import outbox.spi.TableOverview;
import outbox.util.JsonCodec;

/** What can be done with a table of events, passed on to the class that has the SQL for it. */
abstract class TableStore implements OutboxStore {

    private final Inserts inserts;
    private final OnceInserts once;
    private final PendingRows pending;
    private final PresentRows present;
    private final TimedClaims claims;
    private final RowLocks locks;
    private final Marks marks;
    private final DeadRows dead;
    private final Sequences sequences;
    private final Overview overview;
    private final @Nullable LeaseStore leases;
    private final @Nullable OrderedStore ordered;
    private final @Nullable PauseStore pauses;
    private final @Nullable CompactionStore compaction;

    TableStore(EventTable table, JsonCodec codec) {
        this.inserts = Inserts.plain(table, codec);
        this.once = new OnceInserts(table);
        this.pending = new PendingRows(table);
        this.present = new PresentRows(table);
        this.claims = new TimedClaims(table);
        this.locks = new RowLocks(table);
        this.marks = new Marks(table);
        this.dead = new DeadRows(table);
        this.sequences = new Sequences(table);
        this.overview = new Overview(table);
        DatabaseTime time = table.time();
        this.leases = time == null ? null : new JdbcLeaseStore(table, codec, time);
        this.ordered = leases == null || time == null ? null : new JdbcOrderedStore(table, codec, leases, time);
        this.pauses = time == null ? null : new JdbcPauseStore(table, time);
        this.compaction = time == null ? null : new JdbcCompactionStore(table, time);
    }

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        insertBatch(conn, List.of(event));
    }

    @Override
    public void insertBatch(Connection conn, List<EventEnvelope> events) {
        inserts.insert(conn, events, Inserts.Lease.NONE);
    }

    @Override
    public List<WriteReceipt> insertOnce(Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        return once.insert(conn, events, policy, inserts, Inserts.Lease.NONE);
    }

    @Override
    public boolean canDelay() {
        return true;
    }

    @Override
    public boolean canKeepBytes() {
        return true;
    }

    @Override
    public @Nullable LeaseStore leases() {
        return leases;
    }

    @Override
    public @Nullable OrderedStore ordered() {
        return ordered;
    }

    @Override
    public @Nullable PauseStore pauses() {
        return pauses;
    }

    @Override
    public @Nullable CompactionStore compaction() {
        return compaction;
    }

    @Override
    public boolean canSkipLocked(Connection conn) {
        return locks.canSkip(conn);
    }

    @Override
    public Set<String> lockOrSkip(Connection conn, Collection<String> eventIds) {
        return locks.lockOrSkip(conn, eventIds);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        return marks.done(conn, eventId);
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return marks.retry(conn, new Retry(eventId, nextAt, error));
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
        return marks.dead(conn, new Dead(eventId, error));
    }

    @Override
    public int markDoneAll(Connection conn, List<String> eventIds) {
        return marks.doneAll(conn, eventIds);
    }

    @Override
    public boolean canDelete() {
        return true;
    }

    @Override
    public int deleteAll(Connection conn, List<String> eventIds) {
        return marks.deleteAll(conn, eventIds);
    }

    @Override
    public int markRetryAll(Connection conn, List<Retry> retries) {
        return marks.retryAll(conn, retries);
    }

    @Override
    public Map<String, OptionalLong> sequences(Connection conn, Collection<String> eventIds) {
        return sequences.find(conn, eventIds);
    }

    @Override
    public int putOffAll(Connection conn, List<Retry> events) {
        return marks.putOffAll(conn, events);
    }

    @Override
    public int markDeadAll(Connection conn, List<Dead> events) {
        return marks.deadAll(conn, events);
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return pending.due(conn, now, skipRecent, PendingRows.Range.first(limit));
    }

    @Override
    public List<OutboxEvent> pollPending(
            Connection conn, Instant now, Duration skipRecent, int limit, Set<EventRoute> leftOut) {
        return leftOut.isEmpty()
                ? pollPending(conn, now, skipRecent, limit) // which a subclass may have overridden
                : pending.due(conn, now, skipRecent, new PendingRows.Range(null, limit, leftOut));
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        return claims.take(conn, new TimedClaims.Request(ownerId, now, lockExpiry, skipRecent, limit));
    }

    @Override
    public int releaseClaims(Connection conn, String ownerId, Collection<String> eventIds) {
        return claims.release(conn, ownerId, eventIds);
    }

    @Override
    public Set<String> present(Connection conn, Collection<String> eventIds) {
        return present.find(conn, eventIds);
    }

    @Override
    public Optional<OutboxEvent> event(Connection conn, String eventId) {
        return pending.find(conn, eventId);
    }

    @Override
    public List<OutboxEvent> queryDead(
            Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit) {
        return dead.query(conn, new DeadFilter(eventType, aggregateType), limit);
    }

    @Override
    public int replayDead(Connection conn, String eventId) {
        return dead.replay(conn, eventId, Instant.now());
    }

    @Override
    public int countDead(Connection conn, @Nullable String eventType) {
        return dead.count(conn, new DeadFilter(eventType, null));
    }

    @Override
    public DeadCount countDeadUpTo(Connection conn, int limit) {
        return dead.countUpTo(conn, limit);
    }

    @Override
    public Backlog countBacklog(Connection conn, int limit) {
        return pending.count(conn, limit);
    }

    @Override
    public TableOverview overview(Connection conn, int deadLimit, int pendingLimit) {
        return overview.look(conn, deadLimit, pendingLimit);
    }
}
