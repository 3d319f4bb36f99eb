package outbox.inbox.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeStatus;
import outbox.jdbc.JdbcTemplate;
import outbox.util.JsonCodec;

/** Reads rows of {@link RecordColumns}. */
final class RecordRows {

    private RecordRows() {}

    static ConsumeRecord record(ResultSet row) throws SQLException {
        return new ConsumeRecord(
                row.getString("consumer_group"),
                row.getString("event_id"),
                row.getString("event_type"),
                row.getString("tenant_id"),
                ConsumeStatus.ofCode(row.getInt("status")),
                row.getString("locked_by"),
                JdbcTemplate.getInstant(row, "locked_until"),
                JdbcTemplate.getInstant(row, "next_retry_at"),
                row.getInt("retry_count"),
                row.getString("error_msg"),
                JdbcTemplate.getInstant(row, "processed_at"),
                required(row, "created_at"),
                required(row, "updated_at"));
    }

    static EventEnvelope event(ResultSet row) throws SQLException {
        return EventEnvelope.builder(row.getString("event_type"))
                .eventId(row.getString("event_id"))
                .tenantId(row.getString("tenant_id"))
                .aggregateType(row.getString("aggregate_type"))
                .aggregateId(row.getString("aggregate_id"))
                .occurredAt(JdbcTemplate.getInstant(row, "occurred_at"))
                .headers(JsonCodec.getDefault().parseObject(row.getString("headers")))
                .payloadJson(row.getString("payload"))
                .build();
    }

    private static Instant required(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNullElse(JdbcTemplate.getInstant(row, column), Instant.EPOCH);
    }
}
