package outbox.jdbc.internal.rows;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Calendar;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Binding;
import outbox.model.OutboxEvent;

/** Reads rows of {@link #COLUMNS}. One for each query: it reuses what is costly to make for each row, and is not thread-safe. */
public final class EventRowMapper implements JdbcTemplate.RowMapper<OutboxEvent> {

    /** The columns, in the order in which they are read. */
    public static final String COLUMNS =
            "event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers, attempts, created_at";

    private final Calendar utc = JdbcTemplate.utcCalendar();
    private final Binding binding;

    /** Reads times as the binding does. */
    public EventRowMapper(Binding binding) {
        this.binding = binding;
    }

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
                createdAt(row));
    }

    /** A date that is none, which MariaDB may have been made to accept, must not end the poll: it is as old as can be. */
    private Instant createdAt(ResultSet row) throws SQLException {
        Instant time = binding.readTime(row, 9, utc);
        return time == null ? Instant.EPOCH : time;
    }
}
