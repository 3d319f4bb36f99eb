package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.internal.rows.EventRowMapper;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore.Taken;

/** Claims by the clock of the process that makes them, as the specification has them. */
final class TimedClaims {

    private static final Claims.Way BY_CLOCK = new Claims.Way(
            PendingRows.DUE + " AND (locked_at IS NULL OR locked_at < ?)",
            " SET locked_by = ?, locked_at = ?",
            EventRowMapper.COLUMNS,
            true);

    private final EventTable table;
    private final Claims claims;
    private final String release;

    TimedClaims(EventTable table) {
        this.table = table;
        this.claims = new Claims(table, BY_CLOCK);
        this.release = "UPDATE " + table.byPrimaryKey() + " SET locked_by = NULL, locked_at = NULL WHERE ";
    }

    /** What is asked of a claim. */
    record Request(String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {

        Request {
            Objects.requireNonNull(ownerId, "ownerId");
        }
    }

    List<OutboxEvent> take(Connection conn, Request request) {
        Object now = table.at(request.now);
        List<Object> free = List.of(now, table.at(request.now.minus(request.skipRecent)), table.at(request.lockExpiry));
        Claims.Params params = new Claims.Params(free, List.of(request.ownerId, now), null);
        return table
                .run("claim events", () -> claims.take(conn, params, PendingRows.Range.first(request.limit)))
                .events()
                .stream()
                .map(Taken::event)
                .toList();
    }

    int release(Connection conn, String ownerId, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return 0;
        }
        EventIds ids = table.ids(eventIds);
        return table.run(
                "release " + eventIds.size() + " event(s)",
                () -> JdbcTemplate.update(
                        conn, release + ids.condition() + FencedMarks.LEASED, ids.paramsBefore(ownerId)));
    }
}
