package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.model.NodeMode;
import outbox.model.OutboxNode;
import outbox.spi.LeaseStore;
import outbox.util.JsonCodec;

/**
 * Leases in the columns {@code locked_by} and {@code locked_at}, by the time of the database. See {@link Claims} for how a claim works and
 * what is due.
 */
final class JdbcLeaseStore implements LeaseStore {

    private final EventTable table;
    private final Inserts inserts;
    private final OnceInserts once;
    private final Claims claims;
    private final Renewals renewals;
    private final FencedMarks marks;
    private final SuspectMarks suspects;
    private final NodeRegister nodes;
    private final LivingNodes livingNodes;

    JdbcLeaseStore(EventTable table, JsonCodec codec, DatabaseTime time) {
        this.table = table;
        this.inserts = Inserts.leased(table, codec, time);
        this.once = new OnceInserts(table);
        this.claims = Claims.byLease(table, time);
        this.renewals = new Renewals(table, time);
        this.marks = new FencedMarks(table, time);
        this.suspects = new SuspectMarks(table);
        this.nodes = new NodeRegister(table, time);
        this.livingNodes = new LivingNodes(table, time);
    }

    @Override
    public void insertLeased(Connection conn, List<EventEnvelope> events, String ownerId) {
        inserts.insert(conn, events, Inserts.Lease.ofAllDue(ownerId));
    }

    @Override
    public List<WriteReceipt> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId, Set<String> leased) {
        return once.insert(conn, events, policy, inserts, Inserts.Lease.of(leased, ownerId));
    }

    @Override
    public List<Taken> claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit) {
        return claim(conn, new ClaimRequest(ownerId, timeout, skipRecent, limit, Start.BEGINNING))
                .events();
    }

    @Override
    public Found claim(Connection conn, ClaimRequest request) {
        Claims.Params params = Claims.leaseParams(request.ownerId(), request.timeout(), request.skipRecent());
        PendingRows.Range range = new PendingRows.Range(request.start().from(), request.limit(), request.leftOut());
        return table.change("claim events", conn, () -> claims.take(conn, params, range));
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
    public Map<String, Long> leasedAt(Connection conn, String ownerId, Collection<String> eventIds) {
        return renewals.leasedAt(conn, ownerId, eventIds);
    }

    @Override
    public Set<String> held(Connection conn, String ownerId, Collection<String> eventIds) {
        return renewals.held(conn, ownerId, eventIds);
    }

    @Override
    public int release(Connection conn, String ownerId, Collection<String> eventIds) {
        return marks.release(conn, ownerId, eventIds);
    }

    @Override
    public boolean writeDown(Connection conn, String ownerId, Begun suspect) {
        return suspects.writeDown(conn, ownerId, suspect);
    }

    @Override
    public int takeBack(Connection conn, String ownerId, Begun suspect) {
        return suspects.takeBack(conn, ownerId, suspect);
    }

    @Override
    public Set<String> postpone(Connection conn, String ownerId, List<Postponed> events) {
        return marks.postpone(conn, ownerId, events);
    }

    @Override
    public Set<String> markDone(Connection conn, String ownerId, List<String> eventIds) {
        return marks.markDone(conn, ownerId, eventIds);
    }

    @Override
    public Set<String> delete(Connection conn, String ownerId, List<String> eventIds) {
        return marks.delete(conn, ownerId, eventIds);
    }

    @Override
    public Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries) {
        return marks.markRetry(conn, ownerId, retries);
    }

    @Override
    public Set<String> markDead(Connection conn, String ownerId, List<HeldDead> dead) {
        return marks.markDead(conn, ownerId, dead);
    }

    @Override
    public void heartbeat(Connection conn, String ownerId) {
        nodes.heartbeat(conn, ownerId, null);
    }

    @Override
    public void heartbeat(Connection conn, String ownerId, NodeMode mode) {
        nodes.heartbeat(conn, ownerId, mode);
    }

    @Override
    public void forgetNode(Connection conn, String ownerId) {
        nodes.forget(conn, ownerId);
    }

    @Override
    public List<OutboxNode> nodes(Connection conn) {
        return nodes.all(conn);
    }

    @Override
    public List<OutboxNode> neighbours(Connection conn, String ownerId, Duration silentFor) {
        return nodes.neighbours(conn, ownerId, silentFor);
    }

    @Override
    public OptionalInt livingNodes(Connection conn, Duration silence) {
        return livingNodes.count(conn, silence);
    }
}
