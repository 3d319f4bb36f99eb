package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.spi.OrderedStore.Standing;

/** Inserts one event into PostgreSQL and tells how it stands, see {@link StandingSql}; by plain values, as an insert without order. */
final class SingleOrderedInsert {

    private static final String ALL = ") SELECT standing FROM placed";

    private static final String ONLY_MISSING =
            " ON CONFLICT (event_id) DO NOTHING RETURNING seq) SELECT standing, seq FROM placed, inserted";

    private final String sql;
    private final String sqlOfMissing;
    private final String sqlWithBytes;
    private final String sqlOfMissingWithBytes;
    private final Inserts inserts;

    SingleOrderedInsert(TableName table, DatabaseTime time, Inserts inserts) {
        String insert = sql(table, time, "", "");
        String withBytes = sql(table, time, Inserts.WITH_BYTES, ", ?, ?");
        this.sql = insert + ALL;
        this.sqlOfMissing = insert + ONLY_MISSING;
        this.sqlWithBytes = withBytes + ALL;
        this.sqlOfMissingWithBytes = withBytes + ONLY_MISSING;
        this.inserts = inserts;
    }

    private static String sql(TableName table, DatabaseTime time, String moreColumns, String moreValues) {
        return "WITH placed AS MATERIALIZED (SELECT " + StandingSql.of(table, "?", "?") + " AS standing),"
                + " inserted AS (INSERT INTO " + table + " (" + Inserts.COLUMNS + ", locked_by, locked_at" + moreColumns
                + ") SELECT ?, ?, ?, ?, ?, ?, ?, 0, 0, " + time.notAfterNow() + ", ?, " + StandingSql.lease(time)
                + moreValues + " FROM placed";
    }

    /** Whether the table has to be looked at: an event that is due later is nobody's, and one without a key waits for none. */
    static boolean isFor(EventEnvelope event) {
        return !event.isDelayed() && event.aggregateId() != null;
    }

    Standing execute(Connection conn, EventEnvelope event, String ownerId) throws SQLException {
        if (!isFor(event)) {
            inserts.insertValues(conn, List.of(event), Inserts.Lease.ofAllDue(ownerId));
            return event.isDelayed() ? Standing.FREE : Standing.FIRST;
        }
        String statement = event.isBinary() ? sqlWithBytes : sql;
        return JdbcTemplate.query(conn, statement, row -> Standing.valueOf(row.getString(1)), params(event, ownerId))
                .get(0);
    }

    /** Inserts the event if it is not there yet, and notes how it stands. */
    void insertMissing(
            Connection conn,
            EventEnvelope event,
            String ownerId,
            OnceInserts.Found found,
            Map<String, Standing> standings)
            throws SQLException {
        JdbcTemplate.updateReturning(
                conn,
                event.isBinary() ? sqlOfMissingWithBytes : sqlOfMissing,
                row -> {
                    found.inserted(event.eventId(), JdbcTemplate.getLong(row, 2));
                    return standings.put(event.eventId(), Standing.valueOf(row.getString(1)));
                },
                params(event, ownerId));
    }

    private @Nullable Object[] params(EventEnvelope event, String ownerId) {
        List<@Nullable Object> params = new ArrayList<>();
        params.add(ownerId);
        params.add(event.aggregateType());
        params.add(event.aggregateId());
        params.add(event.aggregateId());
        params.add(StandingSql.LIMIT);
        inserts.addParams(event, params);
        params.add(ownerId);
        if (event.isBinary()) {
            Inserts.addBytes(event, params);
        }
        return params.toArray();
    }
}
