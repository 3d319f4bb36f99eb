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

    /** How the dialect binds JSON text. */
    @FunctionalInterface
    interface JsonBinding {
        @Nullable
        Object parameter(@Nullable String json);
    }

    /** Times the parameters of a row, this stays below 65,535, the most that MySQL takes. */
    static final int MAX_ROWS = 5_000;

    private static final String ROW = "(?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)";
    private static final int PARAMETERS_PER_ROW = 9;

    private final String insertOne;
    private final JsonCodec codec;
    private final JsonBinding json;

    ValuesInsert(TableName table, JsonCodec codec, JsonBinding json) {
        super(table, MAX_ROWS);
        this.insertOne = "INSERT INTO " + table + " " + COLUMNS + " VALUES " + ROW;
        this.codec = codec;
        this.json = json;
    }

    @Override
    void insert(Connection conn, List<EventEnvelope> chunk) throws SQLException {
        String sql = chunk.size() == 1 ? insertOne : insertOne + (", " + ROW).repeat(chunk.size() - 1);
        List<@Nullable Object> params = new ArrayList<>(chunk.size() * PARAMETERS_PER_ROW);
        for (EventEnvelope event : chunk) {
            params.add(event.eventId());
            params.add(event.eventType());
            params.add(event.aggregateType());
            params.add(event.aggregateId());
            params.add(event.tenantId());
            params.add(json.parameter(event.payloadJson()));
            params.add(json.parameter(codec.toJson(event.headers())));
            params.add(event.occurredAt());
            params.add(event.occurredAt());
        }
        JdbcTemplate.update(conn, sql, params.toArray());
    }
}
