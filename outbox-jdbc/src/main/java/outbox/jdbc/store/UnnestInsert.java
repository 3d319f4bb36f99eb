package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.util.JsonCodec;

/**
 * Passes a whole batch to PostgreSQL as one array per column. The text of the statement is the same for every size of batch, so the
 * server plans it once, and it has eight parameters instead of nine for each event.
 *
 * <p>The columns may be of any type that the table was created with. JSON is assigned to JSONB and to text alike. Times come as
 * microseconds since the epoch, and COALESCE makes the server read {@code 'epoch'} as what the column is, TIMESTAMP or TIMESTAMPTZ,
 * with no privilege on the table but INSERT and whatever the session's time zone.
 */
final class UnnestInsert extends InsertStatement {

    static final int MAX_ROWS = 20_000;

    /** A row for each event, in order. */
    static final String ROWS = "SELECT unnest(?) AS id, unnest(?) AS type,"
            + " unnest(?) AS aggregate_type, unnest(?) AS aggregate_id, unnest(?) AS tenant_id, unnest(?) AS payload,"
            + " unnest(?) AS headers, unnest(?) AS micros";

    private final String sql;
    private final JsonCodec codec;

    /** With the time of the leases, or null to lease nothing. */
    UnnestInsert(TableName table, JsonCodec codec, @Nullable DatabaseTime time) {
        super(table, MAX_ROWS, time != null);
        String occurred = occurred(table);
        String lease = time == null ? "" : ", ?, " + time.now();
        this.sql = into() + "SELECT id, type, aggregate_type, aggregate_id, tenant_id,"
                + " payload, headers, 0, 0, " + occurred + ", " + occurred + lease
                + " FROM (" + ROWS + ") event";
        this.codec = codec;
    }

    /** The time of {@link #ROWS} as what the table's columns are. */
    static String occurred(TableName table) {
        return "COALESCE((NULL::" + table + ").created_at, 'epoch') + micros * interval '1 microsecond'";
    }

    @Override
    void insert(Connection conn, List<EventEnvelope> chunk, @Nullable String ownerId) throws SQLException {
        List<Object> params = new ArrayList<>();
        if (ownerId != null) {
            params.add(ownerId);
        }
        params.addAll(arrays(chunk, codec));
        JdbcTemplate.update(conn, sql, params.toArray());
    }

    /** The parameters of {@link #ROWS}. */
    static List<Object> arrays(List<EventEnvelope> chunk, JsonCodec codec) {
        return List.of(
                array("text", chunk, EventEnvelope::eventId),
                array("text", chunk, EventEnvelope::eventType),
                array("text", chunk, EventEnvelope::aggregateType),
                array("text", chunk, EventEnvelope::aggregateId),
                array("text", chunk, EventEnvelope::tenantId),
                array("json", chunk, EventEnvelope::payloadJson),
                array("json", chunk, event -> codec.toJson(event.headers())),
                array("bigint", chunk, event -> ChronoUnit.MICROS.between(Instant.EPOCH, event.occurredAt())));
    }

    private static JdbcTemplate.Parameter array(
            String type, List<EventEnvelope> chunk, Function<EventEnvelope, @Nullable Object> part) {
        Object[] values = chunk.stream().map(part).toArray();
        return (statement, index) ->
                statement.setArray(index, statement.getConnection().createArrayOf(type, values));
    }
}
