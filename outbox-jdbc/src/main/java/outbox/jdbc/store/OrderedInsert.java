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
import outbox.jdbc.dialect.DatabaseTime;
import outbox.spi.OrderedStore.Standing;
import outbox.util.JsonCodec;

/** Inserts events into PostgreSQL and decides in the same statement how each of them stands, see {@link StandingSql}. */
final class OrderedInsert {

    /** As in {@link StandingSql}, the number of rows is a parameter so that the plan is kept. */
    private static final String LIMIT = " LIMIT ?";

    private static final String NOT_LEASED = " WHEN NOT leased THEN " + StandingSql.code(Standing.FREE);

    /** Not joined: for a plan that expects few rows the server might compare each with each. */
    private static final String ONLY_MISSING = " ON CONFLICT (event_id) DO NOTHING RETURNING event_id, seq)"
            + " SELECT id, standing, NULL FROM placed UNION ALL SELECT event_id, NULL, seq FROM inserted";

    private final String sql;
    private final String sqlWithTimes;
    private final String sqlOfMissing;
    private final String sqlWithBytes;
    private final String sqlOfMissingWithBytes;
    private final SingleOrderedInsert single;
    private final JsonCodec codec;

    OrderedInsert(EventTable table, JsonCodec codec, DatabaseTime time) {
        String all = ") SELECT id, standing FROM placed";
        String withTimes =
                sql(table, time, new Rows(UnnestInsert.ROWS_WITH_TIMES, NOT_LEASED, UnnestInsert.available(table), ""));
        String withBytes = sql(
                table,
                time,
                new Rows(
                        UnnestInsert.ROWS_WITH_BYTES,
                        NOT_LEASED,
                        UnnestInsert.available(table),
                        ", bytes, content_type"));
        this.sql = sql(table, time, new Rows(UnnestInsert.ROWS, "", UnnestInsert.dueAtOnce(table), "")) + all;
        this.sqlWithTimes = withTimes + all;
        this.sqlOfMissing = withTimes + ONLY_MISSING;
        this.sqlWithBytes = withBytes + all;
        this.sqlOfMissingWithBytes = withBytes + ONLY_MISSING;
        this.single = new SingleOrderedInsert(table.name(), time, Inserts.leased(table, codec, time));
        this.codec = codec;
    }

    /**
     * What the rows of an insert have.
     *
     * @param firstCase decides how some of them stand before the others are looked at
     * @param available when they are due
     * @param bytes what they have behind the lease
     */
    private record Rows(String select, String firstCase, String available, String bytes) {}

    private static String sql(EventTable table, DatabaseTime time, Rows rows) {
        String standing = "CASE" + rows.firstCase + " WHEN aggregate_id IS NULL THEN "
                + StandingSql.code(Standing.FIRST) + " ELSE "
                + StandingSql.of(table.name(), "event.aggregate_type", "event.aggregate_id") + " END";
        return "WITH event AS MATERIALIZED (" + rows.select + LIMIT + "),"
                + " placed AS MATERIALIZED (SELECT event.*, " + standing + " AS standing FROM event),"
                + " inserted AS (INSERT INTO " + table.name() + " (" + Inserts.COLUMNS
                + ", locked_by, locked_at" + (rows.bytes.isEmpty() ? "" : Inserts.WITH_BYTES) + ")"
                + " SELECT id, type, aggregate_type, aggregate_id, tenant_id, payload, headers, 0, 0, "
                + rows.available + ", " + UnnestInsert.occurred(table.name()) + ", " + StandingSql.lease(time)
                + rows.bytes + " FROM placed";
    }

    List<Standing> execute(Connection conn, List<EventEnvelope> events, String ownerId) throws SQLException {
        if (events.size() == 1) {
            return List.of(single.execute(conn, events.get(0), ownerId));
        }
        Map<String, Standing> standings = new HashMap<>();
        for (List<EventEnvelope> chunk : Inserts.chunks(events, UnnestInsert.MAX_ROWS)) {
            boolean withBytes = Inserts.hasBytes(chunk);
            boolean withTimes = withBytes || chunk.stream().anyMatch(EventEnvelope::isDelayed);
            JdbcTemplate.query(
                    conn,
                    withBytes ? sqlWithBytes : withTimes ? sqlWithTimes : sql,
                    row -> standings.put(row.getString(1), Standing.valueOf(row.getString(2))),
                    withTimes
                            ? paramsWithTimes(chunk, ownerId)
                            : params(UnnestInsert.arrays(chunk, codec), chunk.size(), ownerId));
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
            OnceInserts.Found found,
            Map<String, Standing> standings)
            throws SQLException {
        if (chunk.size() == 1 && SingleOrderedInsert.isFor(chunk.get(0))) {
            single.insertMissing(conn, chunk.get(0), ownerId, found, standings);
            return;
        }
        JdbcTemplate.updateReturning(
                conn,
                Inserts.hasBytes(chunk) ? sqlOfMissingWithBytes : sqlOfMissing,
                row -> {
                    String standing = row.getString(2);
                    if (standing == null) {
                        found.inserted(row.getString(1), JdbcTemplate.getLong(row, 3));
                    } else {
                        standings.put(row.getString(1), Standing.valueOf(standing));
                    }
                    return true;
                },
                paramsWithTimes(chunk, ownerId));
    }

    private Object[] paramsWithTimes(List<EventEnvelope> chunk, String ownerId) {
        Inserts.Lease lease = Inserts.Lease.ofAllDue(ownerId);
        List<Object> arrays = Inserts.hasBytes(chunk)
                ? UnnestInsert.arraysWithBytes(chunk, codec, lease)
                : UnnestInsert.arraysWithTimes(chunk, codec, lease);
        return params(arrays, chunk.size(), ownerId);
    }

    private static Object[] params(List<Object> arrays, long rows, String ownerId) {
        List<Object> params = new ArrayList<>(arrays);
        params.add(rows);
        params.add(ownerId);
        params.add(StandingSql.LIMIT);
        params.add(ownerId);
        return params.toArray();
    }
}
