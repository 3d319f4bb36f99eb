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

    private final String sql;
    private final ColumnWidths widths;
    private final JsonCodec codec;

    OrderedInsert(TableName table, JsonCodec codec, DatabaseTime time) {
        String occurred = UnnestInsert.occurred(table);
        String unfinished = "SELECT earlier.locked_by FROM " + table + " earlier"
                + " WHERE earlier.aggregate_type = event.aggregate_type AND earlier.aggregate_id = event.aggregate_id AND "
                + JdbcOrderedStore.unfinished("earlier.") + " LIMIT " + (LONGEST_LINE + 1);
        String standing = "CASE WHEN aggregate_id IS NULL THEN " + code(Standing.FIRST)
                + " ELSE (SELECT CASE WHEN count(*) = 0 AND current_setting('transaction_isolation') = 'read committed' THEN "
                + code(Standing.FIRST)
                + " WHEN count(*) > " + LONGEST_LINE + " OR bool_or(locked_by IS DISTINCT FROM ?) THEN "
                + code(Standing.FREE)
                + " ELSE " + code(Standing.BEHIND) + " END FROM (" + unfinished + ") line) END";
        this.sql = "WITH event AS MATERIALIZED (" + UnnestInsert.ROWS + "),"
                + " placed AS MATERIALIZED (SELECT event.*, " + standing + " AS standing FROM event),"
                + " inserted AS (INSERT INTO " + table + " (" + InsertStatement.COLUMNS + ", locked_by, locked_at)"
                + " SELECT id, type, aggregate_type, aggregate_id, tenant_id, payload, headers, 0, 0, "
                + occurred + ", " + occurred
                + ", CASE WHEN standing <> " + code(Standing.FREE) + " THEN ? END, CASE WHEN standing <> "
                + code(Standing.FREE) + " THEN " + time.now() + " END FROM placed)"
                + " SELECT id, standing FROM placed";
        this.widths = new ColumnWidths(table);
        this.codec = codec;
    }

    private static String code(Standing standing) {
        return "'" + standing + "'";
    }

    List<Standing> execute(Connection conn, List<EventEnvelope> events, String ownerId) throws SQLException {
        events.forEach(widths::check);
        Map<String, Standing> standings = new HashMap<>();
        for (List<EventEnvelope> chunk : InsertStatement.chunks(events, UnnestInsert.MAX_ROWS)) {
            List<Object> params = new ArrayList<>(UnnestInsert.arrays(chunk, codec));
            params.add(ownerId);
            params.add(ownerId);
            JdbcTemplate.query(
                    conn,
                    sql,
                    row -> standings.put(row.getString(1), Standing.valueOf(row.getString(2))),
                    params.toArray());
        }
        return events.stream()
                .map(event -> Objects.requireNonNull(standings.get(event.eventId())))
                .toList();
    }
}
