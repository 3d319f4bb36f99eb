package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.util.JsonCodec;

/**
 * Passes a whole batch to PostgreSQL as one array per column. The text of the statement is the same for every size of batch, so the
 * server plans it once, and it has eight parameters instead of nine for each event.
 *
 * <p>The columns may be of any type that the table was created with. JSON is assigned to JSONB and to text alike. Times come as
 * microseconds since the epoch, and COALESCE makes the server read {@code 'epoch'} as what the column is, TIMESTAMP or TIMESTAMPTZ,
 * with no privilege on the table but INSERT and whatever the session's time zone.
 */
final class UnnestInsert {

    static final int MAX_ROWS = 20_000;

    /** A row for each event, in order. */
    static final String ROWS = "SELECT unnest(?) AS id, unnest(?) AS type,"
            + " unnest(?) AS aggregate_type, unnest(?) AS aggregate_id, unnest(?) AS tenant_id, unnest(?) AS payload,"
            + " unnest(?) AS headers, unnest(?) AS micros";

    /** With what only some events have: a time or a delay of their own, and a place that is not in line for the hot queue. */
    static final String ROWS_WITH_TIMES = ROWS + ", unnest(?) AS available, unnest(?) AS delay, unnest(?) AS leased";

    /** With what payloads have that are not text. */
    static final String ROWS_WITH_BYTES = ROWS_WITH_TIMES + ", unnest(?) AS bytes, unnest(?) AS content_type";

    private final String sql;
    private final String sqlWithTimes;
    private final String sqlWithBytes;
    private final TableColumns columns;
    private final JsonCodec codec;
    private final boolean leasing;

    /**
     * With the time of the leases, or null to lease nothing.
     *
     * @param into the beginning of the statements, up to the last name of a column
     */
    UnnestInsert(EventTable table, JsonCodec codec, String into, @Nullable DatabaseTime leasedAt) {
        String occurred = occurred(table.name());
        String columns = "SELECT id, type, aggregate_type, aggregate_id, tenant_id, payload, headers, 0, 0, ";
        this.sql = into + ") " + columns + dueAtOnce(table) + ", " + occurred
                + (leasedAt == null ? "" : ", ?, " + leasedAt.now()) + " FROM (" + ROWS + ") event";
        String withTimes = columns + available(table) + ", " + occurred
                + (leasedAt == null
                        ? ""
                        : ", CASE WHEN leased THEN ? END, CASE WHEN leased THEN " + leasedAt.now() + " END");
        this.sqlWithTimes = into + ") " + withTimes + " FROM (" + ROWS_WITH_TIMES + ") event";
        this.sqlWithBytes = into + Inserts.WITH_BYTES + ") " + withTimes + ", bytes, content_type FROM ("
                + ROWS_WITH_BYTES + ") event";
        this.columns = table.columns();
        this.codec = codec;
        this.leasing = leasedAt != null;
    }

    /** The time of {@link #ROWS} as what the table's columns are. */
    static String occurred(TableName table) {
        return at(table, "micros");
    }

    /** When an event of {@link #ROWS_WITH_TIMES} is due. */
    static String available(EventTable table) {
        DatabaseTime time = Objects.requireNonNull(table.time());
        return "COALESCE(" + time.now() + " + delay * interval '1 microsecond', " + at(table.name(), "available") + ", "
                + dueAtOnce(table) + ")";
    }

    /** When an event of {@link #ROWS} is due: at once, whatever the clock says of the process that made it. */
    static String dueAtOnce(EventTable table) {
        DatabaseTime time = Objects.requireNonNull(table.time());
        return time.notAfterNow().replace("?", occurred(table.name()));
    }

    private static String at(TableName table, String micros) {
        return "COALESCE((NULL::" + table + ").created_at, 'epoch') + " + micros + " * interval '1 microsecond'";
    }

    void insert(Connection conn, List<EventEnvelope> chunk, Inserts.Lease lease) throws SQLException {
        if (Inserts.hasBytes(chunk)) {
            JdbcTemplate.update(conn, sqlWithBytes, params(lease, arraysWithBytes(chunk, codec, lease)));
        } else if (chunk.stream().noneMatch(EventEnvelope::isDelayed)) {
            JdbcTemplate.update(conn, sql, params(lease, arrays(chunk, codec)));
        } else {
            JdbcTemplate.update(conn, sqlWithTimes, params(lease, arraysWithTimes(chunk, codec, lease)));
        }
    }

    /** Inserts what is not there yet; notes what was inserted, with its sequence if the table has one. */
    void insertMissing(Connection conn, List<EventEnvelope> chunk, Inserts.Lease lease, OnceInserts.Found found)
            throws SQLException {
        boolean withBytes = Inserts.hasBytes(chunk);
        String returning = (withBytes ? sqlWithBytes : sqlWithTimes)
                + " ON CONFLICT (event_id) DO NOTHING RETURNING event_id, "
                + (columns.hasSequence(conn) ? "seq" : "NULL");
        List<Object> arrays = withBytes ? arraysWithBytes(chunk, codec, lease) : arraysWithTimes(chunk, codec, lease);
        JdbcTemplate.updateReturning(conn, returning, found::inserted, params(lease, arrays));
    }

    private @Nullable Object[] params(Inserts.Lease lease, List<Object> arrays) {
        List<@Nullable Object> params = new ArrayList<>();
        if (leasing) {
            params.add(lease.ownerId());
        }
        params.addAll(arrays);
        return params.toArray();
    }

    /** The parameters of {@link #ROWS_WITH_TIMES}. */
    static List<Object> arraysWithTimes(List<EventEnvelope> chunk, JsonCodec codec, Inserts.Lease lease) {
        List<Object> arrays = new ArrayList<>(arrays(chunk, codec));
        arrays.add(array("bigint", chunk, event -> event.availableAt() == null ? null : micros(event.availableAt())));
        arrays.add(array(
                "bigint",
                chunk,
                event -> event.deliverAfter() == null ? null : EventTable.micros(event.deliverAfter())));
        arrays.add(array("boolean", chunk, lease::covers));
        return arrays;
    }

    /** The parameters of {@link #ROWS_WITH_BYTES}. */
    static List<Object> arraysWithBytes(List<EventEnvelope> chunk, JsonCodec codec, Inserts.Lease lease) {
        List<Object> arrays = new ArrayList<>(arraysWithTimes(chunk, codec, lease));
        byte[][] bytes = chunk.stream()
                .map(event -> event.isBinary() ? event.payloadBytes() : null)
                .toArray(byte[][]::new);
        arrays.add(array("bytea", bytes));
        arrays.add(array("text", chunk, event -> event.isBinary() ? event.contentType() : null));
        return arrays;
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    /** The parameters of {@link #ROWS}. */
    static List<Object> arrays(List<EventEnvelope> chunk, JsonCodec codec) {
        return List.of(
                array("text", chunk, EventEnvelope::eventId),
                array("text", chunk, EventEnvelope::eventType),
                array("text", chunk, EventEnvelope::aggregateType),
                array("text", chunk, EventEnvelope::aggregateId),
                array("text", chunk, EventEnvelope::tenantId),
                array("json", chunk, Inserts::payloadText),
                array("json", chunk, event -> Inserts.headers(event, codec)),
                array("bigint", chunk, event -> micros(event.occurredAt())));
    }

    private static JdbcTemplate.Parameter array(
            String type, List<EventEnvelope> chunk, Function<EventEnvelope, @Nullable Object> part) {
        return array(type, chunk.stream().map(part).toArray());
    }

    private static JdbcTemplate.Parameter array(String type, Object[] values) {
        return (statement, index) ->
                statement.setArray(index, statement.getConnection().createArrayOf(type, values));
    }
}
