package outbox.inbox.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeRecordStore;
import outbox.internal.check.Require;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.ConsumeFailures;

/** Finds, replays and deletes records in SQL. */
final class JdbcConsumeRecordStore implements ConsumeRecordStore {

    /** Every record that has failed, even one that is being retried, has an error; PostgreSQL's partial index contains exactly those. */
    private static final String HAS_FAILED = "error_msg IS NOT NULL";

    private static final String FAILED = " WHERE status = 2 AND " + HAS_FAILED;

    private final InboxDialect dialect;
    private final InboxConnections connections;
    private final RecordRows rows;
    private final String findDue;
    private final String replay;
    private final String countFailures;

    JdbcConsumeRecordStore(InboxDialect dialect, InboxConnections connections) {
        this.dialect = dialect;
        this.connections = connections;
        this.rows = new RecordRows(dialect.binding());
        this.findDue = "SELECT " + RecordColumns.EVENT + " FROM " + dialect.table()
                + " WHERE consumer_group = ? AND event_type = ? AND next_retry_at <= " + dialect.now()
                + " AND " + HAS_FAILED + " AND payload IS NOT NULL AND status IN (0, 2) ORDER BY next_retry_at LIMIT ?";
        this.replay = "UPDATE " + dialect.table() + " SET retry_count = 0, next_retry_at = " + dialect.now()
                + ", updated_at = " + dialect.now() + ", error_msg = 'replayed'" + FAILED + " AND consumer_group = ?";
        this.countFailures =
                "SELECT COUNT(*), COUNT(CASE WHEN next_retry_at IS NULL THEN 1 END), MAX(retry_count) FROM ("
                        + "SELECT next_retry_at, retry_count FROM " + dialect.table() + FAILED + " LIMIT ?) failed";
    }

    @Override
    public String tableName() {
        return dialect.table().toString();
    }

    @Override
    public ConsumeFailures countFailures(int limit) {
        Require.atLeast(1, limit, "limit");
        return connections
                .alone(
                        "count failed events",
                        conn -> JdbcTemplate.query(
                                conn,
                                countFailures,
                                row -> new ConsumeFailures(row.getInt(1), row.getInt(2), row.getInt(3)),
                                limit))
                .get(0);
    }

    @Override
    public List<EventEnvelope> findDue(String consumerGroup, String eventType, int limit) {
        Objects.requireNonNull(consumerGroup, "consumerGroup");
        Objects.requireNonNull(eventType, "eventType");
        Require.atLeast(1, limit, "limit");
        return connections.alone(
                "find due retries",
                conn -> JdbcTemplate.query(conn, findDue, rows::event, consumerGroup, eventType, limit));
    }

    @Override
    public List<ConsumeRecord> findFailed(@Nullable String consumerGroup, boolean exhaustedOnly, int limit) {
        Require.atLeast(1, limit, "limit");
        String sql = "SELECT " + RecordColumns.RECORD + " FROM " + dialect.table()
                + failed(consumerGroup, exhaustedOnly) + " ORDER BY created_at LIMIT ?";
        List<Object> params = params(consumerGroup);
        params.add(limit);
        return connections.alone(
                "find failed events", conn -> JdbcTemplate.query(conn, sql, rows::record, params.toArray()));
    }

    @Override
    public long countFailed(@Nullable String consumerGroup, boolean exhaustedOnly) {
        String sql = "SELECT COUNT(*) FROM " + dialect.table() + failed(consumerGroup, exhaustedOnly);
        Object[] params = params(consumerGroup).toArray();
        return connections
                .alone("count failed events", conn -> JdbcTemplate.query(conn, sql, row -> row.getLong(1), params))
                .get(0);
    }

    private static String failed(@Nullable String consumerGroup, boolean exhaustedOnly) {
        return FAILED
                + (consumerGroup == null ? "" : " AND consumer_group = ?")
                + (exhaustedOnly ? " AND next_retry_at IS NULL" : "");
    }

    private static List<Object> params(@Nullable String consumerGroup) {
        return new ArrayList<>(consumerGroup == null ? List.of() : List.of(consumerGroup));
    }

    @Override
    public boolean replay(String consumerGroup, String eventId) {
        Objects.requireNonNull(consumerGroup, "consumerGroup");
        Objects.requireNonNull(eventId, "eventId");
        return connections.alone(
                        "replay event " + eventId,
                        conn -> JdbcTemplate.update(conn, replay + " AND event_id = ?", consumerGroup, eventId))
                > 0;
    }

    @Override
    public int replayExhausted(String consumerGroup) {
        Objects.requireNonNull(consumerGroup, "consumerGroup");
        return connections.alone(
                "replay exhausted events",
                conn -> JdbcTemplate.update(conn, replay + " AND next_retry_at IS NULL", consumerGroup));
    }

    @Override
    public int purge(Duration retention, int limit) {
        Require.atLeast(1, limit, "limit");
        long before = InboxDialect.micros(retention.negated());
        return connections.alone(
                "purge", conn -> JdbcTemplate.update(conn, dialect.purge(), before, before, before, limit));
    }
}
