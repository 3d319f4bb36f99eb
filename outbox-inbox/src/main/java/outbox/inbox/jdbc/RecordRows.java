package outbox.inbox.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeStatus;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Binding;
import outbox.util.JsonCodec;

/** Reads rows of {@link RecordColumns}. */
final class RecordRows {

    private final Binding binding;

    RecordRows(Binding binding) {
        this.binding = binding;
    }

    ConsumeRecord record(ResultSet row) throws SQLException {
        return new ConsumeRecord(
                row.getString("consumer_group"),
                row.getString("event_id"),
                row.getString("event_type"),
                row.getString("tenant_id"),
                ConsumeStatus.ofCode(row.getInt("status")),
                row.getString("locked_by"),
                time(row, "locked_until"),
                time(row, "next_retry_at"),
                row.getInt("retry_count"),
                row.getString("error_msg"),
                time(row, "processed_at"),
                required(row, "created_at"),
                required(row, "updated_at"));
    }

    EventEnvelope event(ResultSet row) throws SQLException {
        EventEnvelope.Builder event = EventEnvelope.builder(row.getString("event_type"))
                .eventId(row.getString("event_id"))
                .tenantId(row.getString("tenant_id"))
                .aggregateType(row.getString("aggregate_type"))
                .aggregateId(row.getString("aggregate_id"))
                .occurredAt(time(row, "occurred_at"))
                .headers(JsonCodec.getDefault().parseObject(row.getString("headers")));
        return KeptPayload.into(event, row.getString("payload")).build();
    }

    private Instant required(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNullElse(time(row, column), Instant.EPOCH);
    }

    private @Nullable Instant time(ResultSet row, String column) throws SQLException {
        return binding.readTime(row, row.findColumn(column), JdbcTemplate.utcCalendar());
    }
}
