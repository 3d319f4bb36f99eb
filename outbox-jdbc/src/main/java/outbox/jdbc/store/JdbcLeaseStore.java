package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.model.OutboxEvent;
import outbox.model.OutboxNode;
import outbox.spi.LeaseStore;
import outbox.util.JsonCodec;

/**
 * Leases in the columns {@code locked_by} and {@code locked_at}, by the time of the database. See {@link Claims} for how a claim works, and
 * {@link LeaseSql} for what is due.
 */
final class JdbcLeaseStore implements LeaseStore {

    private final EventTable table;
    private final Inserts inserts;
    private final OnceInserts once;
    private final LeaseSql sql;
    private final Claims claims;
    private final Renewals renewals;
    private final HeldEnds ends;
    private final HeldFailures failures;
    private final NodeRegister nodes;

    JdbcLeaseStore(EventTable table, JsonCodec codec, DatabaseTime time, MarkLimit limit) {
        this.table = table;
        this.inserts = Inserts.leased(table, codec, time);
        this.once = new OnceInserts(table);
        this.sql = new LeaseSql(time);
        this.claims = new Claims(table);
        this.renewals = new Renewals(table, time);
        this.ends = new HeldEnds(table, limit);
        this.failures = new HeldFailures(table, time, limit);
        this.nodes = new NodeRegister(table, time);
    }

    @Override
    public void insertLeased(Connection conn, List<EventEnvelope> events, String ownerId) {
        inserts.insert(conn, events, BornLeased.allDue(ownerId));
    }

    @Override
    public List<WriteReceipt> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId, Set<String> leased) {
        return once.insert(conn, events, policy, inserts, BornLeased.these(ownerId, leased));
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit) {
        Claims.Taking taking = sql.taking(ownerId, timeout, skipRecent);
        return table.change("claim events", conn, () -> claims.take(conn, taking, limit));
    }

    @Override
    public Set<String> renew(Connection conn, String ownerId, Collection<String> eventIds) {
        return renewals.renew(conn, ownerId, eventIds);
    }

    @Override
    public Set<String> stillHeld(Connection conn, String ownerId, Collection<String> eventIds) {
        return renewals.stillHeld(conn, ownerId, eventIds);
    }

    @Override
    public int release(Connection conn, String ownerId, List<Held> events) {
        return renewals.release(conn, ownerId, events);
    }

    @Override
    public Set<String> markDone(Connection conn, String ownerId, List<Held> events) {
        return ends.markDone(conn, ownerId, events);
    }

    @Override
    public Set<String> delete(Connection conn, String ownerId, List<Held> events) {
        return ends.delete(conn, ownerId, events);
    }

    @Override
    public Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries) {
        return failures.markRetry(conn, ownerId, retries);
    }

    @Override
    public Set<String> markDead(Connection conn, String ownerId, List<HeldDead> dead) {
        return failures.markDead(conn, ownerId, dead);
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
}
