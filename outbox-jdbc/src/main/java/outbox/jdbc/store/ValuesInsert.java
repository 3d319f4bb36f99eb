package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.util.JsonCodec;

/** A row of values for each event, which every database understands. */
final class ValuesInsert extends InsertStatement {

    /** Times the parameters of a row, this stays below 65,535, the most that MySQL takes. */
    static final int MAX_ROWS = 5_000;

    private static final int MOST_PARAMETERS_PER_ROW = 10;

    private final String row;
    private final String insertOne;
    private final JsonCodec codec;
    private final AbstractJdbcOutboxStore dialect;

    /**
     * @param dialect knows how to bind what is not text
     * @param time of the leases; null to lease nothing
     */
    ValuesInsert(TableName table, JsonCodec codec, AbstractJdbcOutboxStore dialect, @Nullable DatabaseTime time) {
        super(table, MAX_ROWS, time != null);
        this.row = "(?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?" + (time == null ? ")" : ", ?, " + time.now() + ")");
        this.insertOne = into() + "VALUES " + row;
        this.codec = codec;
        this.dialect = dialect;
    }

    @Override
    void insert(Connection conn, List<EventEnvelope> chunk, @Nullable String ownerId) throws SQLException {
        String sql = chunk.size() == 1 ? insertOne : insertOne + (", " + row).repeat(chunk.size() - 1);
        List<@Nullable Object> params = new ArrayList<>(chunk.size() * MOST_PARAMETERS_PER_ROW);
        for (EventEnvelope event : chunk) {
            params.add(event.eventId());
            params.add(event.eventType());
            params.add(event.aggregateType());
            params.add(event.aggregateId());
            params.add(event.tenantId());
            params.add(dialect.jsonParameter(event.payloadJson()));
            params.add(dialect.jsonParameter(codec.toJson(event.headers())));
            Object occurredAt = dialect.timeParameter(event.occurredAt());
            params.add(occurredAt);
            params.add(occurredAt);
            if (ownerId != null) {
                params.add(ownerId);
            }
        }
        JdbcTemplate.update(conn, sql, params.toArray());
    }
}
