package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.internal.rows.EventRowMapper;
import outbox.model.OutboxEvent;
import outbox.spi.OutboxStore.Backlog;

/** Queries for events that are not finished, oldest first. */
final class PendingRows {

    /** The condition of events that are due by the clock of a process; with that time and the youngest time of creation. */
    static final String DUE = "available_at <= ? AND created_at <= ?";

    private static final String FROM_ONE_INDEX = """
            SELECT %2$s FROM %1$s candidate WHERE status IN (0, 2) AND %3$s ORDER BY created_at, event_id LIMIT ?""";

    private static final String FROM_EACH_STATE = """
            SELECT %2$s FROM (\
            (SELECT %2$s, created_at FROM %1$s candidate WHERE status = 0 AND %3$s \
            ORDER BY status, created_at, event_id LIMIT ?) \
            UNION ALL \
            (SELECT %2$s, created_at FROM %1$s candidate WHERE status = 2 AND %3$s \
            ORDER BY status, created_at, event_id LIMIT ?)\
            ) pending ORDER BY created_at, event_id LIMIT ?""";

    private final EventTable table;
    private final boolean oneIndex;
    private final Query due;
    private final String readDue;
    private final Query all;
    private final String count;

    PendingRows(EventTable table) {
        this.table = table;
        this.oneIndex = table.dialect().capabilities().ordersPendingInOneIndex();
        // With nothing to sort, events are read where their ids are found.
        this.due = query(oneIndex ? EventRowMapper.COLUMNS : "event_id", DUE);
        this.readDue = oneIndex ? due.sql : byIds(due.sql);
        this.all = query("event_id, locked_at", "1 = 1");
        this.count = "SELECT COUNT(*), COUNT(locked_at) FROM (" + all.sql + ") backlog";
    }

    /** A query for pending events that meet a condition. */
    record Query(String sql, boolean forEachState) {

        Object[] params(List<Object> condition, int limit) {
            List<Object> params = new ArrayList<>(condition);
            params.add(limit);
            if (forEachState) {
                params.addAll(condition);
                params.add(limit);
                params.add(limit);
            }
            return params.toArray();
        }
    }

    /**
     * A query for pending events that meet a condition, oldest first; the condition may call the table {@code candidate}. Where no index has
     * both states, each of the two is looked up on its own, in the order of the index on (status, created_at, event_id), and stops at the
     * limit: finished events cost nothing, and there is nothing to sort but the two results.
     */
    Query query(String columns, String condition) {
        String format = oneIndex ? FROM_ONE_INDEX : FROM_EACH_STATE;
        return new Query(String.format(Locale.ROOT, format, table.name(), columns, condition), !oneIndex);
    }

    List<OutboxEvent> due(Connection conn, Instant now, Duration skipRecent, int limit) {
        List<Object> times = List.of(table.at(now), table.at(now.minus(skipRecent)));
        return inOrder("poll pending events", conn, readDue, due.params(times, limit));
    }

    /**
     * Reads the events whose ids a query yields. Only ids are sorted and cut off by the database, the events themselves here: a sort
     * that carries payloads along fails on MySQL when one does not fit into its sort buffer.
     */
    List<OutboxEvent> readInOrder(String what, Connection conn, String idQuery, Object... params) {
        return inOrder(what, conn, byIds(idQuery), params);
    }

    private String byIds(String idQuery) {
        return "SELECT " + EventRowMapper.COLUMNS + " FROM " + table.name()
                + " WHERE event_id IN (SELECT event_id FROM (" + idQuery + ") wanted)";
    }

    private List<OutboxEvent> inOrder(String what, Connection conn, String sql, Object... params) {
        List<OutboxEvent> events = table.run(what, () -> JdbcTemplate.query(conn, sql, table.rows(), params));
        events.sort(EventTable.CLAIM_ORDER);
        return events;
    }

    /** Reads no further than the limit in the index of pending events. */
    Backlog count(Connection conn, int limit) {
        return table.run(
                        "count pending events",
                        () -> JdbcTemplate.query(
                                conn,
                                count,
                                row -> new Backlog(row.getInt(1), row.getInt(2)),
                                all.params(List.of(), limit)))
                .get(0);
    }
}
