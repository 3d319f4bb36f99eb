package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.internal.rows.EventRowMapper;
import outbox.model.OutboxEvent;

/** Claims by the clock of the process that makes them, as the specification has them. */
final class TimedClaims {

    private static final String FREE = PendingRows.DUE + " AND (locked_at IS NULL OR locked_at < ?)";
    private static final String TAKE = " SET locked_by = ?, locked_at = ?";

    private final EventTable table;
    private final Claims claims;

    TimedClaims(EventTable table) {
        this.table = table;
        this.claims = new Claims(table);
    }

    /** One wish to take events. */
    record Wish(String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {}

    List<OutboxEvent> take(Connection conn, Wish wish) {
        Object now = table.at(wish.now);
        Condition free =
                new Condition(FREE, List.of(now, table.at(wish.now.minus(wish.skipRecent)), table.at(wish.lockExpiry)));
        Condition assignments = new Condition(TAKE, List.of(wish.ownerId, now));
        Claims.Taking taking = new Claims.Taking(free, assignments, EventRowMapper.COLUMNS, true);
        return table.run("claim events", () -> claims.take(conn, taking, wish.limit));
    }

    int release(Connection conn, String ownerId, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return 0;
        }
        EventIds ids = table.ids(eventIds);
        String sql = "UPDATE " + table.byPrimaryKey() + " SET locked_by = NULL, locked_at = NULL WHERE "
                + ids.condition() + " AND locked_by = ? AND " + EventTable.PENDING;
        List<Object> params = new ArrayList<>(ids.params());
        params.add(ownerId);
        return table.run(
                "release " + eventIds.size() + " event(s)", () -> JdbcTemplate.update(conn, sql, params.toArray()));
    }
}
