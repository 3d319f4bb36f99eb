package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Calendar;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.spi.LeaseStore.Position;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * Finds the event that has been due longest and does not wait for a key that a DEAD event holds. Asked only if there are such keys; it looks at
 * a limited number of events.
 */
final class OldestFree {

    private static final int PAGE = 500;
    private static final int PAGES = 20;

    private final EventTable table;
    private final PendingRows.Query due;
    private final KeyQuery heads;

    OldestFree(EventTable table, DatabaseTime time) {
        this.table = table;
        this.due = new PendingRows(table)
                .query(
                        "event_id, aggregate_type, aggregate_id, seq, available_at, " + time.now() + " AS db_now",
                        "available_at <= " + time.now());
        this.heads = KeyQuery.of(
                table,
                "aggregate_type, aggregate_id, seq, CASE WHEN status = 3 AND locked_by = '" + OrderedStore.KEY_HELD
                        + "' THEN 1 ELSE 0 END AS holds");
    }

    /** An event that is due. */
    private record Due(@Nullable AggregateKey key, long seq, Position position, Instant now) {

        Duration age() {
            return Overview.age(position.availableAt(), now);
        }
    }

    private record Head(AggregateKey key, long seq, boolean holds) {}

    /** How long it has been due; null if there is none. If there are too many that wait for held keys, how long at most. */
    @Nullable
    Duration find(Connection conn) throws SQLException {
        Due last = null;
        for (int page = 0; page < PAGES; page++) {
            List<Due> found = page(conn, last == null ? null : last.position);
            Map<AggregateKey, Long> held = held(conn, found);
            for (Due event : found) {
                if (event.key == null || event.seq < held.getOrDefault(event.key, Long.MAX_VALUE)) {
                    return event.age();
                }
                last = event;
            }
            if (found.size() < PAGE) {
                return null;
            }
        }
        return last == null ? null : last.age();
    }

    private List<Due> page(Connection conn, @Nullable Position from) throws SQLException {
        PendingRows.Range range = new PendingRows.Range(from, PAGE, Set.of());
        Calendar utc = JdbcTemplate.utcCalendar();
        return JdbcTemplate.query(conn, due.text(range), row -> event(row, utc), due.params(List.of(), range));
    }

    private Due event(ResultSet row, Calendar utc) throws SQLException {
        String type = row.getString(2);
        Instant availableAt = Objects.requireNonNull(table.binding().readTime(row, 5, utc));
        return new Due(
                type == null ? null : AggregateKey.of(type, row.getString(3)),
                row.getLong(4),
                new Position(availableAt, row.getString(1)),
                Objects.requireNonNull(table.binding().readTime(row, 6, utc)));
    }

    /** The sequence numbers of the DEAD events that hold keys of these events. */
    private Map<AggregateKey, Long> held(Connection conn, List<Due> events) throws SQLException {
        Map<AggregateKey, Long> wanted = new HashMap<>();
        for (Due event : events) {
            if (event.key != null) {
                wanted.merge(event.key, event.seq, Math::max);
            }
        }
        Map<AggregateKey, Long> held = new HashMap<>();
        if (!wanted.isEmpty()) {
            heads.find(conn, List.of(), wanted, OldestFree::head).stream()
                    .filter(Head::holds)
                    .forEach(head -> held.merge(head.key, head.seq, Math::min));
        }
        return held;
    }

    private static Head head(ResultSet row) throws SQLException {
        return new Head(new AggregateKey(row.getString(1), row.getString(2)), row.getLong(3), row.getInt(4) == 1);
    }
}
