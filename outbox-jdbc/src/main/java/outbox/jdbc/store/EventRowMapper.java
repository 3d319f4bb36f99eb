package outbox.jdbc.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Calendar;
import java.util.Objects;
import outbox.jdbc.JdbcTemplate;
import outbox.model.OutboxEvent;

/** Reads rows of {@link #COLUMNS}. One for each query: it reuses what is costly to make for each row, and is not thread-safe. */
final class EventRowMapper implements JdbcTemplate.RowMapper<OutboxEvent> {

    static final String COLUMNS =
            "event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers, attempts, created_at";

    private final Calendar utc = JdbcTemplate.utcCalendar();

    @Override
    public OutboxEvent map(ResultSet row) throws SQLException {
        return new OutboxEvent(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getInt(8),
                Objects.requireNonNull(row.getTimestamp(9, utc)).toInstant());
    }
}
