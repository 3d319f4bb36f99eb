package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import outbox.internal.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.internal.rows.EventRowMapper;
import outbox.model.OutboxEvent;

/**
 * Takes events for an owner.
 *
 * <p>A claim works in two phases. First the ids of free events are read without any lock, oldest first. Then they are read again under
 * lock, by primary key and with the whole condition: of two owners that saw the same free event only one finds it free again. Those that it
 * does are taken. Because rows are found by primary key nothing but them is locked, which keeps inserts and other claims out of the way on
 * every isolation level. The lock comes before the update: the other way round it could not be told which events were taken now and which
 * the same owner took or renewed a moment ago.
 *
 * <p>A database whose updates return rows does all of it in one statement.
 */
final class Claims {

    /** How often a claim looks again after other owners took everything that it had seen. */
    private static final int TRIES = 3;

    private static final String IN_ONE_STATEMENT = """
            WITH free AS (SELECT event_id FROM %1$s WHERE %2$s AND %3$s%4$s LIMIT ?%5$s) \
            UPDATE %1$s AS event%6$s FROM free WHERE event.event_id = free.event_id RETURNING event.%7$s""";

    private static final String RETURNED = EventRowMapper.COLUMNS.replace(", ", ", event.");

    private final EventTable table;
    private final PendingRows pending;
    private final boolean updatesReturning;

    Claims(EventTable table) {
        this.table = table;
        this.pending = new PendingRows(table);
        this.updatesReturning = table.dialect().capabilities().updatesReturning();
    }

    /**
     * One way to take events.
     *
     * @param free the condition of those that may be taken
     * @param assignments what is set, from {@code SET} on
     * @param columns what is read under lock of rows that the assignments are about to change
     * @param waits whether rows that others have locked are waited for
     */
    record Taking(Condition free, Condition assignments, String columns, boolean waits) {}

    /** Takes events, oldest first and no more than the limit, and returns them in order. */
    List<OutboxEvent> take(Connection conn, Taking taking, int limit) throws SQLException {
        List<OutboxEvent> taken = new ArrayList<>(
                updatesReturning ? takeInOneStatement(conn, taking, limit) : takeInTwoPhases(conn, taking, limit));
        taken.sort(EventTable.CLAIM_ORDER);
        return taken;
    }

    private List<OutboxEvent> takeInOneStatement(Connection conn, Taking taking, int limit) throws SQLException {
        String sql = String.format(
                Locale.ROOT,
                IN_ONE_STATEMENT,
                table.name(),
                EventTable.PENDING,
                taking.free.sql(),
                EventTable.OLDEST_FIRST,
                table.dialect().locking().claim(conn),
                taking.assignments.sql(),
                RETURNED);
        List<Object> params = new ArrayList<>(taking.free.params());
        params.add(limit);
        params.addAll(taking.assignments.params());
        // Should there be no memory for the rows, nothing is claimed: nobody would know of it until the leases expire.
        return ShortTransaction.atomically(
                conn, transaction -> JdbcTemplate.updateReturning(transaction, sql, table.rows(), params.toArray()));
    }

    private List<OutboxEvent> takeInTwoPhases(Connection conn, Taking taking, int limit) throws SQLException {
        Condition wanted = pending.ids(taking.free, limit);
        for (int tries = 1; ; tries++) {
            List<String> seen = JdbcTemplate.query(
                    conn, wanted.sql(), row -> row.getString(1), wanted.params().toArray());
            if (seen.isEmpty()) {
                return List.of();
            }
            List<OutboxEvent> won =
                    ShortTransaction.atomically(conn, transaction -> takeOfThese(transaction, taking, seen));
            if (!won.isEmpty() || tries == TRIES) {
                return won;
            }
        }
    }

    private List<OutboxEvent> takeOfThese(Connection conn, Taking taking, List<String> seen) throws SQLException {
        List<OutboxEvent> won = lockFree(conn, taking, seen);
        if (!won.isEmpty()) {
            assign(conn, taking, won.stream().map(OutboxEvent::eventId).toList());
        }
        return won;
    }

    /** Locks those of the events that are still free, and reads them. */
    List<OutboxEvent> lockFree(Connection conn, Taking taking, Collection<String> eventIds) throws SQLException {
        EventIds ids = table.ids(eventIds);
        String lock = taking.waits
                ? table.dialect().locking().forUpdate()
                : table.dialect().locking().claim(conn);
        String select = "SELECT " + taking.columns + " FROM " + table.byPrimaryKey() + " WHERE " + ids.condition()
                + " AND " + EventTable.PENDING + " AND " + taking.free.sql() + lock;
        List<Object> params = new ArrayList<>(ids.params());
        params.addAll(taking.free.params());
        return JdbcTemplate.query(conn, select, table.rows(), params.toArray());
    }

    /** Takes events that are locked. */
    void assign(Connection conn, Taking taking, Collection<String> eventIds) throws SQLException {
        EventIds ids = table.ids(eventIds);
        String update = "UPDATE " + table.byPrimaryKey() + taking.assignments.sql() + " WHERE " + ids.condition();
        JdbcTemplate.update(
                conn, update, ids.paramsAfter(taking.assignments.params().toArray()));
    }
}
