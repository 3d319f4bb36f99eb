package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.internal.rows.EventRowMapper;
import outbox.model.EventRoute;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore.Position;
import outbox.spi.OutboxStore.Backlog;

/** Queries for events that are not finished, those that are due longest first. */
final class PendingRows {

    /** The condition of events that are due by the clock of a process; with that time and the youngest time of creation. */
    static final String DUE = "available_at <= ? AND created_at <= ?";

    private static final String FROM_ONE_INDEX = """
            SELECT %2$s FROM %1$s candidate WHERE status IN (0, 2) AND %3$s ORDER BY available_at, event_id LIMIT ?""";

    /** Up to the lock of a statement that takes what it finds. */
    private static final String TO_TAKE = """
            WITH free AS (SELECT %2$s FROM %1$s WHERE status IN (0, 2) AND %3$s ORDER BY available_at, event_id LIMIT ?""";

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

    /** Where a query looks, and for what. */
    record Range(@Nullable Position from, int limit, Set<EventRoute> leftOut) {

        /** From the beginning, and at everything. */
        static Range first(int limit) {
            return new Range(null, limit, Set.of());
        }
    }

    /** A query for pending events that meet a condition. */
    static final class Query {

        private final String format;
        private final String columns;
        private final String condition;
        private final boolean forEachState;
        private final EventTable table;
        private final String all;
        private final String allFrom;
        private final Map<Integer, String> without = new ConcurrentHashMap<>();
        private final Map<Integer, String> withoutFrom = new ConcurrentHashMap<>();

        private Query(String format, String columns, String condition, EventTable table) {
            this.format = format;
            this.columns = columns;
            this.condition = condition;
            this.forEachState = format.equals(FROM_EACH_STATE);
            this.table = table;
            this.all = text(condition);
            this.allFrom = text(condition + " AND " + table.atOrBehindPosition());
        }

        private String text(String where) {
            return String.format(Locale.ROOT, format, table.name(), columns, where);
        }

        /** The text of the query. There are few: the number of routes that are left out is rounded up. */
        String text(Range range) {
            boolean fromBeginning = range.from == null;
            String everything = fromBeginning ? all : allFrom;
            if (range.leftOut.isEmpty()) {
                return everything;
            }
            String where = fromBeginning ? condition : condition + " AND " + table.atOrBehindPosition();
            return (fromBeginning ? without : withoutFrom)
                    .computeIfAbsent(
                            LeftOut.pairs(range.leftOut.size()),
                            pairs -> text(where + LeftOut.condition(pairs, table.binding())));
        }

        /**
         * The parameters.
         *
         * @param params those of the condition
         */
        Object[] params(List<Object> params, Range range) {
            List<Object> ofOne = new ArrayList<>(params);
            if (range.from != null) {
                ofOne.addAll(table.positionParams(range.from));
            }
            if (!range.leftOut.isEmpty()) {
                ofOne.addAll(LeftOut.params(range.leftOut));
            }
            ofOne.add(range.limit);
            List<Object> all = new ArrayList<>(ofOne);
            if (forEachState) {
                all.addAll(ofOne);
                all.add(range.limit);
            }
            return all.toArray();
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
        return new Query(oneIndex ? FROM_ONE_INDEX : FROM_EACH_STATE, columns, condition, table);
    }

    /** The same as the beginning of a statement that takes what it finds, for a database whose index has both states. */
    Query queryToTake(String columns, String condition) {
        return new Query(TO_TAKE, columns, condition, table);
    }

    List<OutboxEvent> due(Connection conn, Instant now, Duration skipRecent, Range range) {
        List<Object> times = List.of(table.at(now), table.at(now.minus(skipRecent)));
        String sql = oneIndex ? due.text(range) : byIds(due.text(range));
        return inOrder("poll pending events", conn, sql, due.params(times, range));
    }

    /**
     * Reads the events whose ids a query yields. Only ids are sorted and cut off by the database, the events themselves here: a sort
     * that carries payloads along fails on MySQL when one does not fit into its sort buffer.
     */
    List<OutboxEvent> readInOrder(String what, Connection conn, String idQuery, Object... params) {
        return inOrder(what, conn, byIds(idQuery), params);
    }

    /** Finds an event by its id, whatever its state. */
    Optional<OutboxEvent> find(Connection conn, String eventId) {
        String sql = "SELECT " + EventRowMapper.COLUMNS + " FROM " + table.name() + " WHERE event_id = ?";
        return table.run("find event " + eventId, () -> JdbcTemplate.query(conn, sql, table.rows(), eventId)).stream()
                .findFirst();
    }

    private String byIds(String idQuery) {
        return "SELECT " + EventRowMapper.COLUMNS + " FROM " + table.name()
                + " WHERE event_id IN (SELECT event_id FROM (" + idQuery + ") wanted)";
    }

    private List<OutboxEvent> inOrder(String what, Connection conn, String sql, Object... params) {
        return table.run(what, () -> {
            List<OutboxEvent> events = JdbcTemplate.query(conn, sql, table.rows(), params);
            events.sort(EventTable.CLAIM_ORDER);
            return table.bytes().complete(conn, events, "");
        });
    }

    /** Reads no further than the limit in the index of pending events. */
    Backlog count(Connection conn, int limit) {
        String count = "SELECT COUNT(*), COUNT(locked_at) FROM (" + all.all + ") backlog";
        return table.run(
                        "count pending events",
                        () -> JdbcTemplate.query(
                                conn,
                                count,
                                row -> new Backlog(row.getInt(1), row.getInt(2)),
                                all.params(List.of(), Range.first(limit))))
                .get(0);
    }
}
