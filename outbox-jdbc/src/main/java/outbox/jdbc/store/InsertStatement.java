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

/**
 * Inserts events with one multi-row statement per chunk. Chunks are bounded in rows, which keeps parameters below every
 * database's limit, and in text, which keeps a statement below the packet limit of MySQL and MariaDB.
 */
final class InsertStatement {

    /** How the dialect binds JSON text. */
    @FunctionalInterface
    interface JsonBinding {
        @Nullable
        Object parameter(@Nullable String json);
    }

    static final int MAX_ROWS = 500;
    static final int MAX_CHARS = 4 * 1024 * 1024;

    private static final String ROW = "(?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)";

    private final String into;
    private final ColumnWidths widths;
    private final JsonCodec codec;

    InsertStatement(TableName table, JsonCodec codec) {
        this.into = "INSERT INTO " + table + " (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload,"
                + " headers, status, attempts, available_at, created_at) VALUES ";
        this.widths = new ColumnWidths(table);
        this.codec = codec;
    }

    /** Returns the number of statements that were needed. */
    int execute(Connection conn, List<EventEnvelope> events, JsonBinding json) throws SQLException {
        events.forEach(widths::check);
        int statements = 0;
        int from = 0;
        while (from < events.size()) {
            int to = endOfChunk(events, from);
            insert(conn, events.subList(from, to), json);
            from = to;
            statements++;
        }
        return statements;
    }

    private static int endOfChunk(List<EventEnvelope> events, int from) {
        int to = from;
        long chars = 0;
        while (to < events.size() && to - from < MAX_ROWS) {
            chars += events.get(to).payloadJson().length();
            if (to > from && chars > MAX_CHARS) {
                break;
            }
            to++;
        }
        return to;
    }

    private void insert(Connection conn, List<EventEnvelope> chunk, JsonBinding json) throws SQLException {
        String sql = into + (ROW + ", ").repeat(chunk.size() - 1) + ROW;
        List<@Nullable Object> params = new ArrayList<>(chunk.size() * 9);
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
