package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.ErrorText;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.EventIds;
import outbox.spi.OutboxStore.Dead;
import outbox.spi.OutboxStore.Retry;

/** Writes down how events ended, whoever has them. */
final class Marks {

    private static final String DONE = """
            UPDATE %1$s SET status = 1, done_at = ?, %2$slocked_by = NULL, locked_at = NULL WHERE\s""";

    /** An assignment in front of others. */
    static final String NO_ERROR = "last_error = NULL, ";

    private static final String COUNTED = "attempts = attempts + 1, ";

    private static final String IF_PENDING = " AND " + EventTable.PENDING;

    private static final String RETRY = """
            UPDATE %1$s SET status = 2, %2$savailable_at = ?, last_error = ?, \
            locked_by = NULL, locked_at = NULL WHERE event_id = ? AND status IN (0, 2)""";

    private static final String DEAD = """
            UPDATE %1$s SET status = 3, done_at = ?, last_error = ?, \
            locked_by = NULL, locked_at = NULL WHERE event_id = ? AND status IN (0, 2)""";

    private final EventTable table;
    private final String done;
    private final String doneAndCleared;
    private final String retry;
    private final String putOff;
    private final String dead;

    Marks(EventTable table) {
        this.table = table;
        this.done = String.format(Locale.ROOT, DONE, table.byPrimaryKey(), "");
        this.doneAndCleared = String.format(Locale.ROOT, DONE, table.byPrimaryKey(), NO_ERROR);
        this.retry = String.format(Locale.ROOT, RETRY, table.name(), COUNTED);
        this.putOff = String.format(Locale.ROOT, RETRY, table.name(), "");
        this.dead = String.format(Locale.ROOT, DEAD, table.name());
    }

    int done(Connection conn, String eventId) {
        return mark("mark event " + eventId + " DONE", conn, done() + "event_id = ?" + IF_PENDING, now(), eventId);
    }

    int retry(Connection conn, Retry event) {
        return mark("mark event " + event.eventId() + " RETRY", conn, retry, params(event));
    }

    int dead(Connection conn, Dead event) {
        return mark("mark event " + event.eventId() + " DEAD", conn, dead, params(event, now()));
    }

    int doneAll(Connection conn, List<String> eventIds) {
        if (eventIds.isEmpty()) {
            return 0;
        }
        EventIds ids = table.ids(eventIds);
        String sql = done() + ids.condition() + IF_PENDING;
        return mark("mark " + eventIds.size() + " event(s) DONE", conn, sql, ids.paramsAfter(now()));
    }

    int deleteAll(Connection conn, List<String> eventIds) {
        if (eventIds.isEmpty()) {
            return 0;
        }
        EventIds ids = table.ids(eventIds);
        String sql = table.delete(ids.condition() + IF_PENDING, eventIds.size());
        return mark(
                "delete " + eventIds.size() + " delivered event(s)",
                conn,
                sql,
                ids.params().toArray());
    }

    int retryAll(Connection conn, List<Retry> events) {
        return markEach(
                "mark " + events.size() + " event(s) RETRY",
                conn,
                retry,
                events.stream().map(this::params).toList());
    }

    int putOffAll(Connection conn, List<Retry> events) {
        return markEach(
                "put " + events.size() + " event(s) off",
                conn,
                putOff,
                events.stream().map(this::params).toList());
    }

    int deadAll(Connection conn, List<Dead> events) {
        Object now = now();
        return markEach(
                "mark " + events.size() + " event(s) DEAD",
                conn,
                dead,
                events.stream().map(event -> params(event, now)).toList());
    }

    private String done() {
        return table.clearsErrors() ? doneAndCleared : done;
    }

    private Object now() {
        return table.at(Instant.now());
    }

    private Object[] params(Retry event) {
        return new Object[] {table.at(event.nextAt()), ErrorText.limit(event.error()), event.eventId()};
    }

    private static Object[] params(Dead event, Object now) {
        return new Object[] {now, ErrorText.limit(event.error()), event.eventId()};
    }

    private int mark(String what, Connection conn, String sql, @Nullable Object... params) {
        return table.run(what, () -> JdbcTemplate.updateWithin(table.markSeconds(), conn, sql, params));
    }

    private int markEach(String what, Connection conn, String sql, List<Object[]> rows) {
        return JdbcTemplate.sum(
                table.run(what, () -> JdbcTemplate.batchUpdateCountsWithin(table.markSeconds(), conn, sql, rows)));
    }
}
