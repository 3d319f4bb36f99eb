package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Capabilities;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.EventIds;
import outbox.model.BlockedKey;
import outbox.model.EventStatus;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.util.JsonCodec;

/** Order by the column {@code seq}, which the database counts up with each insert. */
final class JdbcOrderedStore implements OrderedStore {

    static final String SEQ = "seq";

    private final EventTable events;
    private final TableName table;
    private final LeaseStore leases;
    private final OnceInserts once;
    private final @Nullable OrderedInsert insert;
    private final OrderedClaims claims;

    JdbcOrderedStore(EventTable events, JsonCodec codec, LeaseStore leases, DatabaseTime time) {
        this.events = events;
        this.table = events.name();
        this.leases = leases;
        this.once = new OnceInserts(events);
        this.insert = events.dialect().capabilities().insertsArrays() ? new OrderedInsert(events, codec, time) : null;
        this.claims = new OrderedClaims(events, time);
    }

    /** What later events of the key must wait for; the alias is followed by a dot. */
    static String unfinished(String alias) {
        return "#status IN (0, 2, 3) AND (#status <> 3 OR #locked_by = '".replace("#", alias) + KEY_HELD + "')";
    }

    /** Joins two rows of the same key. */
    static String sameKey(String one, String other) {
        return "1.aggregate_type = 2.aggregate_type AND 1.aggregate_id = 2.aggregate_id"
                .replace("1", one)
                .replace("2", other);
    }

    /**
     * Of two rows of the same key, one is earlier. Compared alone, numbers tempt PostgreSQL to read all finished events through their index; the
     * index of keys has both columns.
     */
    static String earlier(String one, String other, Dialect dialect) {
        boolean together = dialect.capabilities().keyLookup() == Capabilities.KeyLookup.LATERAL_ARRAYS;
        return (together ? "(1.aggregate_id, 1.seq) < (2.aggregate_id, 2.seq)" : "1.seq < 2.seq")
                .replace("1", one)
                .replace("2", other);
    }

    /**
     * A database that cannot tell how an event stands, in a statement that sees what was committed a moment ago and locks nothing but the
     * new row, is asked when the event's turn seems to have come.
     */
    @Override
    public List<Standing> insert(Connection conn, List<EventEnvelope> events, String ownerId) {
        OrderedInsert inOneStatement = insert;
        if (inOneStatement != null) {
            return this.events.insert(events, () -> inOneStatement.execute(conn, events, ownerId));
        }
        leases.insertLeased(conn, events, ownerId);
        return events.stream().map(JdbcOrderedStore::toBeAsked).toList();
    }

    /** How an event stands of which the database has not told. */
    private static Standing toBeAsked(EventEnvelope event) {
        if (event.isDelayed()) {
            return Standing.FREE;
        }
        return event.aggregateId() == null ? Standing.FIRST : Standing.BEHIND;
    }

    @Override
    public List<Placed> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId) {
        OrderedInsert inOneStatement = insert;
        Map<String, Standing> told = new HashMap<>();
        List<WriteReceipt> receipts = inOneStatement == null
                ? leases.insertOnce(conn, events, policy, ownerId, idsOfDue(events))
                : once.insert(
                        conn,
                        events,
                        policy,
                        (chunk, found) -> inOneStatement.insertMissing(conn, chunk, ownerId, found, told));
        // A statement that met an id of another transaction may have waited for it, and not have seen what came with
        // it.
        boolean mayHaveWaited = receipts.stream().anyMatch(WriteReceipt::alreadyThere);
        List<Placed> placed = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            placed.add(new Placed(receipts.get(i), standing(events.get(i), receipts.get(i), told, mayHaveWaited)));
        }
        return placed;
    }

    private static Standing standing(
            EventEnvelope event, WriteReceipt receipt, Map<String, Standing> told, boolean mayHaveWaited) {
        if (receipt.alreadyThere()) {
            return Standing.FREE;
        }
        Standing standing = told.getOrDefault(event.eventId(), toBeAsked(event));
        boolean canWait = standing == Standing.FIRST && event.aggregateId() != null;
        return mayHaveWaited && canWait ? Standing.BEHIND : standing;
    }

    private static Set<String> idsOfDue(List<EventEnvelope> events) {
        return events.stream()
                .filter(event -> !event.isDelayed())
                .map(EventEnvelope::eventId)
                .collect(Collectors.toSet());
    }

    @Override
    public boolean isFirst(Connection conn, String eventId) {
        String sql = "SELECT 1 FROM " + table + " event JOIN " + table + " earlier ON " + sameKey("earlier", "event")
                + " AND " + earlier("earlier", "event", events.dialect()) + " AND " + unfinished("earlier.")
                + " WHERE event.event_id = ? LIMIT 1";
        return events.run(
                "ask whether event " + eventId + " is the first of its key",
                () -> JdbcTemplate.query(conn, sql, row -> row.getInt(1), eventId)
                        .isEmpty());
    }

    @Override
    public Claimed claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit) {
        return claim(
                conn,
                new LeaseStore.ClaimRequest(ownerId, timeout, skipRecent, limit, LeaseStore.Start.BEGINNING),
                List.of());
    }

    @Override
    public Claimed claim(Connection conn, LeaseStore.ClaimRequest request, Collection<AggregateKey> continued) {
        return events.change("claim events in order", conn, () -> claims.execute(conn, request, continued));
    }

    @Override
    public Set<String> holdingKeys(Connection conn, Collection<String> eventIds) {
        EventIds ids = events.ids(eventIds);
        String sql =
                "SELECT event_id FROM " + table + " WHERE " + ids.condition() + " AND status = 3 AND locked_by = ?";
        return new HashSet<>(events.run(
                "look for keys that are held",
                () -> JdbcTemplate.query(conn, sql, row -> row.getString(1), ids.paramsBefore(KEY_HELD))));
    }

    @Override
    public int bringBack(Connection conn, Collection<String> eventIds) {
        EventIds ids = events.ids(eventIds);
        String sql = "SELECT DISTINCT aggregate_type, aggregate_id FROM " + table + " WHERE " + ids.condition()
                + " AND aggregate_id IS NOT NULL";
        return events.change("bring back events", conn, () -> {
            List<AggregateKey> keys = JdbcTemplate.query(
                    conn,
                    sql,
                    row -> new AggregateKey(row.getString(1), row.getString(2)),
                    ids.params().toArray());
            return claims.bringBack(conn, keys);
        });
    }

    @Override
    public List<BlockedKey> blockedKeys(Connection conn, int limit) {
        String waiting = "SELECT COUNT(*) FROM " + table + " later WHERE " + sameKey("later", "event") + " AND "
                + earlier("event", "later", events.dialect()) + " AND later.status IN (0, 2)";
        String earlier = "SELECT 1 FROM " + table + " earlier WHERE " + sameKey("earlier", "event") + " AND "
                + earlier("earlier", "event", events.dialect()) + " AND " + unfinished("earlier.");
        String sql = "SELECT aggregate_type, aggregate_id, event_id, status, attempts, last_error, (" + waiting
                + ") AS waiting FROM " + table + " event WHERE aggregate_id IS NOT NULL"
                + " AND (status = 2 OR (status = 3 AND locked_by = '" + KEY_HELD + "')) AND NOT EXISTS (" + earlier
                + ") ORDER BY seq LIMIT ?";
        return events.run(
                "list blocked keys", () -> JdbcTemplate.query(conn, sql, JdbcOrderedStore::blockedKey, limit));
    }

    private static BlockedKey blockedKey(ResultSet row) throws SQLException {
        return new BlockedKey(
                row.getString("aggregate_type"),
                Objects.requireNonNull(row.getString("aggregate_id")),
                Objects.requireNonNull(row.getString("event_id")),
                EventStatus.fromCode(row.getInt("status")),
                row.getInt("attempts"),
                row.getString("last_error"),
                row.getInt("waiting"));
    }

    @Override
    public int letKeyGo(Connection conn, String eventId) {
        String sql = "UPDATE " + table + " SET locked_by = NULL WHERE event_id = ? AND status = 3 AND locked_by = ?";
        return events.run(
                "let the key of event " + eventId + " go on", () -> JdbcTemplate.update(conn, sql, eventId, KEY_HELD));
    }

    @Override
    public void checkSchema(Connection conn) {
        events.run("look at the columns and indexes", () -> {
            new SchemaCheck(events, events.dialect().name()).requireOrder(conn);
            return true;
        });
    }
}
