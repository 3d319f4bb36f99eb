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

    private final String sql;
    private final String sqlOfMissing;
    private final Inserts inserts;

    SingleOrderedInsert(TableName table, DatabaseTime time, Inserts inserts) {
        String insert = "WITH placed AS MATERIALIZED (SELECT " + StandingSql.of(table, "?", "?") + " AS standing),"
                + " inserted AS (INSERT INTO " + table + " (" + Inserts.COLUMNS + ", locked_by, locked_at)"
                + " SELECT ?, ?, ?, ?, ?, ?, ?, 0, 0, " + time.notAfterNow() + ", ?, " + StandingSql.lease(time)
                + " FROM placed";
        this.sql = insert + ") SELECT standing FROM placed";
        this.sqlOfMissing =
                insert + " ON CONFLICT (event_id) DO NOTHING RETURNING seq) SELECT standing, seq FROM placed, inserted";
        this.inserts = inserts;
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
        return JdbcTemplate.query(conn, sql, row -> Standing.valueOf(row.getString(1)), params(event, ownerId))
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
                sqlOfMissing,
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
        return params.toArray();
    }
}
