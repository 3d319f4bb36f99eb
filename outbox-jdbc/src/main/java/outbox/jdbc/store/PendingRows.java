package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.internal.rows.EventRowMapper;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore.Position;
import outbox.spi.OutboxStore.Backlog;

/** Queries for events that are not finished, those that are due longest first. */
final class PendingRows {

    /** The condition of events that are due by the clock of a process; with that time and the youngest time of creation. */
    static final String DUE = "available_at <= ? AND created_at <= ?";

    private static final String FROM_ONE_INDEX = """
            SELECT %2$s FROM %1$s candidate WHERE status IN (0, 2) AND %3$s ORDER BY available_at, event_id LIMIT ?""";

    private static final String FROM_EACH_STATE = """
            SELECT %2$s FROM (\
            (SELECT %2$s FROM %1$s candidate WHERE status = 0 AND %3$s \
            ORDER BY status, available_at, event_id LIMIT ?) \
            UNION ALL \
            (SELECT %2$s FROM %1$s candidate WHERE status = 2 AND %3$s \
            ORDER BY status, available_at, event_id LIMIT ?)\
            ) pending ORDER BY available_at, event_id LIMIT ?""";

    private final EventTable table;
    private final boolean oneIndex;
    private final Query due;
    private final Query all;

    PendingRows(EventTable table) {
        this.table = table;
        this.oneIndex = table.dialect().capabilities().ordersPendingInOneIndex();
        // With nothing to sort, events are read where their ids are found.
        this.due = query(oneIndex ? EventRowMapper.COLUMNS : "event_id, available_at", DUE);
        this.all = query("event_id, available_at, locked_at", "1 = 1");
    }

    /** A query for pending events that meet a condition. */
    record Query(String sql, String sqlFrom, boolean forEachState, EventTable table) {

        /** The text of the query. */
        String text(@Nullable Position from) {
            return from == null ? sql : sqlFrom;
        }

        /**
         * The parameters.
         *
         * @param condition those of the condition
         * @param from where to begin; null for the beginning
         */
        Object[] params(List<Object> condition, @Nullable Position from, int limit) {
            List<Object> ofOne = new ArrayList<>(condition);
            if (from != null) {
                ofOne.addAll(table.positionParams(from));
            }
            ofOne.add(limit);
            List<Object> params = new ArrayList<>(ofOne);
            if (forEachState) {
                params.addAll(ofOne);
                params.add(limit);
            }
            return params.toArray();
        }
    }

    /**
     * A query for pending events that meet a condition, in the order in which they are due; the condition may call the table {@code
     * candidate}. Where no index has both states, each of the two is looked up on its own, in the order of the index on (status,
     * available_at, event_id), and stops at the limit: neither finished events nor those that are not due yet cost anything, and there is
     * nothing to sort but the two results.
     *
     * @param columns with the id and the time at which an event is due, if there is no such index
     */
    Query query(String columns, String condition) {
        return new Query(
                format(columns, condition),
                format(columns, condition + " AND " + table.atOrBehindPosition()),
                !oneIndex,
                table);
    }

    private String format(String columns, String condition) {
        String format = oneIndex ? FROM_ONE_INDEX : FROM_EACH_STATE;
        return String.format(Locale.ROOT, format, table.name(), columns, condition);
    }

    List<OutboxEvent> due(Connection conn, Instant now, Duration skipRecent, int limit) {
        List<Object> times = List.of(table.at(now), table.at(now.minus(skipRecent)));
        String sql = oneIndex ? due.sql : byIds(due.sql);
        return inOrder("poll pending events", conn, sql, due.params(times, null, limit));
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
        String count = "SELECT COUNT(*), COUNT(locked_at) FROM (" + all.sql + ") backlog";
        return table.run(
                        "count pending events",
                        () -> JdbcTemplate.query(
                                conn,
                                count,
                                row -> new Backlog(row.getInt(1), row.getInt(2)),
                                all.params(List.of(), null, limit)))
                .get(0);
    }
}
