package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
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

    PendingRows(EventTable table) {
        this.table = table;
        this.oneIndex = table.dialect().capabilities().ordersPendingInOneIndex();
    }

    /** A query for the ids of pending events that meet a condition, oldest first. */
    Condition ids(Condition condition, int limit) {
        return select("event_id", condition, limit);
    }

    /**
     * As {@link #ids}, with other columns; conditions may name the table {@code candidate}. Where no index has both states, each of the
     * two is looked up on its own, in the order of the index on (status, created_at, event_id), and stops at the limit: finished events
     * cost nothing, and there is nothing to sort but the two results.
     */
    Condition select(String columns, Condition condition, int limit) {
        String sql = String.format(
                Locale.ROOT, oneIndex ? FROM_ONE_INDEX : FROM_EACH_STATE, table.name(), columns, condition.sql());
        List<Object> params = new ArrayList<>();
        for (int state = 0; state < (oneIndex ? 1 : 2); state++) {
            params.addAll(condition.params());
            params.add(limit);
        }
        if (!oneIndex) {
            params.add(limit);
        }
        return new Condition(sql, params);
    }

    List<OutboxEvent> due(Connection conn, Instant now, Duration skipRecent, int limit) {
        Condition due = new Condition(DUE, List.of(table.at(now), table.at(now.minus(skipRecent))));
        if (!oneIndex) {
            return readInOrder("poll pending events", conn, ids(due, limit));
        }
        // With nothing to sort, events are read where their ids are found.
        Condition select = select(EventRowMapper.COLUMNS, due, limit);
        return inOrder("poll pending events", conn, select);
    }

    /**
     * Reads the events whose ids a query yields. Only ids are sorted and cut off by the database, the events themselves here: a sort
     * that carries payloads along fails on MySQL when one does not fit into its sort buffer.
     */
    List<OutboxEvent> readInOrder(String what, Connection conn, Condition idQuery) {
        String sql = "SELECT " + EventRowMapper.COLUMNS + " FROM " + table.name()
                + " WHERE event_id IN (SELECT event_id FROM (" + idQuery.sql() + ") wanted)";
        return inOrder(what, conn, new Condition(sql, idQuery.params()));
    }

    private List<OutboxEvent> inOrder(String what, Connection conn, Condition select) {
        List<OutboxEvent> events = table.run(
                what,
                () -> JdbcTemplate.query(
                        conn, select.sql(), table.rows(), select.params().toArray()));
        events.sort(EventTable.CLAIM_ORDER);
        return events;
    }

    /** Reads no further than the limit in the index of pending events. */
    Backlog count(Connection conn, int limit) {
        Condition pending = select("event_id, locked_at", new Condition("1 = 1", Collections.emptyList()), limit);
        String sql = "SELECT COUNT(*), COUNT(locked_at) FROM (" + pending.sql() + ") backlog";
        return table.run(
                        "count pending events",
                        () -> JdbcTemplate.query(
                                conn,
                                sql,
                                row -> new Backlog(row.getInt(1), row.getInt(2)),
                                pending.params().toArray()))
                .get(0);
    }
}
