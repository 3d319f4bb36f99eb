package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.spi.OrderedStore.Standing;
import outbox.util.JsonCodec;

/**
 * Inserts events into PostgreSQL and decides in the same statement how each of them stands: first if no event of its key is unfinished,
 * behind if all that are belong to the owner, otherwise free.
 *
 * <p>A statement sees what was committed before it began, which is what first means. In a transaction of a stricter isolation level it
 * sees what was committed before the transaction began, so there an event is never more than behind.
 */
final class OrderedInsert {

    /** Beyond so many unfinished events of a key a new one is left to the poller, which takes them by runs. */
    private static final int LONGEST_LINE = 50;

    private static final String NOT_LEASED = " WHEN NOT leased THEN " + code(Standing.FREE);

    private final String sql;
    private final String sqlWithTimes;
    private final String sqlOfMissing;
    private final ColumnWidths widths;
    private final JsonCodec codec;

    OrderedInsert(TableName table, JsonCodec codec, DatabaseTime time) {
        String all = " SELECT id, standing FROM placed";
        String missing = " SELECT id, standing, seq FROM placed JOIN inserted ON inserted.event_id = placed.id";
        String available = UnnestInsert.available(table);
        String onlyMissing = " ON CONFLICT (event_id) DO NOTHING RETURNING event_id, seq";
        this.sql = sql(table, time, UnnestInsert.ROWS, "", UnnestInsert.occurred(table), "") + all;
        this.sqlWithTimes = sql(table, time, UnnestInsert.ROWS_WITH_TIMES, NOT_LEASED, available, "") + all;
        this.sqlOfMissing =
                sql(table, time, UnnestInsert.ROWS_WITH_TIMES, NOT_LEASED, available, onlyMissing) + missing;
        this.widths = new ColumnWidths(table);
        this.codec = codec;
    }

    private static String sql(
            TableName table, DatabaseTime time, String rows, String firstCase, String available, String conflict) {
        String unfinished = "SELECT earlier.locked_by FROM " + table + " earlier"
                + " WHERE earlier.aggregate_type = event.aggregate_type AND earlier.aggregate_id = event.aggregate_id AND "
                + JdbcOrderedStore.unfinished("earlier.") + " LIMIT " + (LONGEST_LINE + 1);
        String standing = "CASE" + firstCase + " WHEN aggregate_id IS NULL THEN " + code(Standing.FIRST)
                + " ELSE (SELECT CASE WHEN count(*) = 0 AND current_setting('transaction_isolation') = 'read committed' THEN "
                + code(Standing.FIRST)
                + " WHEN count(*) > " + LONGEST_LINE + " OR bool_or(locked_by IS DISTINCT FROM ?) THEN "
                + code(Standing.FREE)
                + " ELSE " + code(Standing.BEHIND) + " END FROM (" + unfinished + ") line) END";
        return "WITH event AS MATERIALIZED (" + rows + "),"
                + " placed AS MATERIALIZED (SELECT event.*, " + standing + " AS standing FROM event),"
                + " inserted AS (INSERT INTO " + table + " (" + InsertStatement.COLUMNS + ", locked_by, locked_at)"
                + " SELECT id, type, aggregate_type, aggregate_id, tenant_id, payload, headers, 0, 0, "
                + available + ", " + UnnestInsert.occurred(table)
                + ", CASE WHEN standing <> " + code(Standing.FREE) + " THEN ? END, CASE WHEN standing <> "
                + code(Standing.FREE) + " THEN " + time.now() + " END FROM placed" + conflict + ")";
    }

    private static String code(Standing standing) {
        return "'" + standing + "'";
    }

    List<Standing> execute(Connection conn, List<EventEnvelope> events, String ownerId) throws SQLException {
        events.forEach(widths::check);
        Map<String, Standing> standings = new HashMap<>();
        for (List<EventEnvelope> chunk : InsertStatement.chunks(events, UnnestInsert.MAX_ROWS)) {
            boolean withTimes = chunk.stream().anyMatch(EventEnvelope::isDelayed);
            JdbcTemplate.query(
                    conn,
                    withTimes ? sqlWithTimes : sql,
                    row -> standings.put(row.getString(1), Standing.valueOf(row.getString(2))),
                    params(withTimes ? arraysWithTimes(chunk, ownerId) : UnnestInsert.arrays(chunk, codec), ownerId));
        }
        return events.stream()
                .map(event -> Objects.requireNonNull(standings.get(event.eventId())))
                .toList();
    }

    /** Inserts what is not there yet, and notes how it stands. */
    void insertMissing(
            Connection conn,
            List<EventEnvelope> chunk,
            String ownerId,
            OnceInsert.Found found,
            Map<String, Standing> standings)
            throws SQLException {
        JdbcTemplate.updateReturning(
                conn,
                sqlOfMissing,
                row -> {
                    found.inserted(row.getString(1), JdbcTemplate.getLong(row, 3));
                    return standings.put(row.getString(1), Standing.valueOf(row.getString(2)));
                },
                params(arraysWithTimes(chunk, ownerId), ownerId));
    }

    private List<Object> arraysWithTimes(List<EventEnvelope> chunk, String ownerId) {
        return UnnestInsert.arraysWithTimes(chunk, codec, BornLeased.allDue(ownerId));
    }

    private static Object[] params(List<Object> arrays, String ownerId) {
        List<Object> params = new ArrayList<>(arrays);
        params.add(ownerId);
        params.add(ownerId);
        return params.toArray();
    }
}
