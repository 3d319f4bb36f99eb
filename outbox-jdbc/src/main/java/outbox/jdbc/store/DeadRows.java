package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.model.OutboxEvent;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore.DeadCount;

/** Finds DEAD events and brings them back. */
final class DeadRows {

    private static final String REPLAY = """
            UPDATE %s SET status = 0, attempts = 0, available_at = %s, last_error = NULL, done_at = NULL, \
            locked_by = NULL, locked_at = NULL WHERE event_id = ? AND status = 3""";

    private static final String COUNT_LATEST =
            "SELECT COUNT(*), COUNT(CASE WHEN locked_by = '%2$s' THEN 1 END) FROM (%1$s) latest";

    private final EventTable table;
    private final PendingRows pending;
    private final String replay;
    private final String countLatest;

    DeadRows(EventTable table) {
        this.table = table;
        this.pending = new PendingRows(table);
        DatabaseTime time = table.time();
        this.replay = String.format(Locale.ROOT, REPLAY, table.name(), time == null ? "?" : time.notAfterNow());
        this.countLatest = String.format(Locale.ROOT, COUNT_LATEST, latest(table.name()), OrderedStore.KEY_HELD);
    }

    /** Reads {@code locked_by} of the DEAD events that ended last, in the order of the index of finished events, backwards; with a limit. */
    static String latest(TableName table) {
        return "SELECT locked_by FROM " + table + " WHERE status = 3 ORDER BY status DESC, done_at DESC LIMIT ?";
    }

    List<OutboxEvent> query(Connection conn, DeadFilter filter, int limit) {
        String ids = "SELECT event_id FROM " + table.name() + filter.where() + EventTable.OLDEST_FIRST + " LIMIT ?";
        return pending.readInOrder("query dead events", conn, ids, filter.params(limit));
    }

    /** @param now by the clock of this process; should that be ahead of the database's, its time is used */
    int replay(Connection conn, String eventId, Instant now) {
        Object dueFrom = table.binding().writtenTime(now);
        return table.run("replay event " + eventId, () -> JdbcTemplate.update(conn, replay, dueFrom, eventId));
    }

    DeadCount countUpTo(Connection conn, int limit) {
        return table.run(
                        "count dead events",
                        () -> JdbcTemplate.query(
                                conn, countLatest, row -> new DeadCount(row.getInt(1), row.getInt(2)), limit))
                .get(0);
    }

    int count(Connection conn, DeadFilter filter) {
        String sql = "SELECT COUNT(*) FROM " + table.name() + filter.where();
        return table.run(
                        "count dead events", () -> JdbcTemplate.query(conn, sql, row -> row.getInt(1), filter.params()))
                .get(0);
    }
}
