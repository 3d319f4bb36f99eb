package outbox.samples.spring;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import outbox.jdbc.JdbcTemplate;
import outbox.model.EventStatus;

/** Reads the outbox table for people. */
@Repository
class EventQueries {

    /** An event without its payload, which may be confidential. */
    record EventView(
            String eventId,
            String eventType,
            @Nullable String aggregateId,
            EventStatus status,
            int attempts,
            @Nullable Instant createdAt,
            @Nullable Instant doneAt,
            @Nullable String lastError) {}

    private static final String SELECT =
            "SELECT event_id, event_type, aggregate_id, status, attempts, created_at, done_at, last_error FROM outbox_event";
    private static final String NEWEST_FIRST = " ORDER BY created_at DESC, event_id DESC LIMIT ?";

    private final JdbcClient jdbc;

    EventQueries(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    List<EventView> newest(int limit) {
        return jdbc.sql(SELECT + NEWEST_FIRST)
                .param(limit)
                .query(EventQueries::map)
                .list();
    }

    List<EventView> newest(EventStatus status, int limit) {
        return jdbc.sql(SELECT + " WHERE status = ?" + NEWEST_FIRST)
                .params(status.code(), limit)
                .query(EventQueries::map)
                .list();
    }

    private static EventView map(ResultSet row, int number) throws SQLException {
        return new EventView(
                row.getString("event_id"),
                row.getString("event_type"),
                row.getString("aggregate_id"),
                EventStatus.fromCode(row.getInt("status")),
                row.getInt("attempts"),
                JdbcTemplate.getInstant(row, "created_at"),
                JdbcTemplate.getInstant(row, "done_at"),
                row.getString("last_error"));
    }
}
