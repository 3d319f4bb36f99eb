package outbox.inbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeResult;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.dialect.RecordTime;

/**
 * H2. A merge writes every record that it finds, changed or not, and so returns what the record was before; nothing comes back for one that
 * it inserted. Two merges of the same new record may collide: one of them fails, which harms nothing but itself, and is repeated.
 */
final class H2InboxDialect extends InboxDialect {

    private static final int TRIES = 5;

    private static final String VALUES =
            "(CAST(? AS VARCHAR), CAST(? AS VARCHAR), CAST(? AS VARCHAR), CAST(? AS VARCHAR), CAST(? AS VARCHAR))";

    private static final String COLUMNS =
            "tenant_id, consumer_group, event_id, event_type, locked_by, status, locked_until, processed_at, created_at,"
                    + " updated_at";

    private final String acquire;
    private final String recordSuccess;

    H2InboxDialect(Dialect database, TableName table, RecordTime time) {
        super(database, table, time);
        this.acquire = merge(
                "0",
                nowPlusMicros(),
                "NULL",
                "next_retry_at = CASE WHEN payload IS NULL THEN NULL ELSE " + nowPlusMicros() + " END");
        this.recordSuccess = merge("1", "NULL", now(), RecordColumns.CLEARED_BY_SUCCESS);
    }

    private static String arrived(String values) {
        return " USING (VALUES " + values + ") a (tenant_id, consumer_group, event_id, event_type, locked_by)"
                + " ON r.consumer_group = a.consumer_group AND r.event_id = a.event_id ";
    }

    private String merge(String status, String lockedUntil, String processedAt, String assignments) {
        String free = AcquireCode.isFree(AcquireCode.sql(this, "r.", "a.event_type"));
        String changes = "status = " + status + ", locked_by = a.locked_by, locked_until = " + lockedUntil
                + ", processed_at = " + processedAt + ", updated_at = " + now()
                + ", retry_count = retry_count + CASE WHEN status = 0 THEN 1 ELSE 0 END, " + assignments;
        return "SELECT " + AcquireCode.sql(this, "", "CAST(? AS VARCHAR)") + " FROM OLD TABLE (MERGE INTO " + table()
                + " r" + arrived(VALUES)
                + "WHEN MATCHED AND " + free + " THEN UPDATE SET " + changes
                + " WHEN MATCHED THEN UPDATE SET locked_by = r.locked_by"
                + " WHEN NOT MATCHED THEN INSERT (" + COLUMNS + ") VALUES (a.tenant_id, a.consumer_group, a.event_id,"
                + " a.event_type, a.locked_by, " + status + ", " + lockedUntil + ", " + processedAt + ", " + now()
                + ", " + now() + "))";
    }

    @Override
    AcquireConsumeResult acquire(Connection conn, AcquireConsumeCommand command) throws SQLException {
        long lease = micros(command.lockTtl());
        return take(conn, acquire, command, lease, lease, lease);
    }

    @Override
    AcquireConsumeResult recordSuccess(Connection conn, AcquireConsumeCommand command) throws SQLException {
        return take(conn, recordSuccess, command);
    }

    private AcquireConsumeResult take(
            Connection conn, String sql, AcquireConsumeCommand command, @Nullable Object... more) throws SQLException {
        List<@Nullable Object> params = new ArrayList<>();
        params.add(command.eventType());
        params.addAll(arrived(command));
        params.addAll(Arrays.asList(more));
        return repeatIfDuplicate(() -> {
            List<Long> code = JdbcTemplate.query(conn, sql, row -> row.getLong(1), params.toArray());
            return code.isEmpty() ? ACQUIRED : AcquireCode.decode(code.get(0));
        });
    }

    private static List<@Nullable String> arrived(AcquireConsumeCommand command) {
        return Arrays.asList(
                command.tenantId(),
                command.consumerGroup(),
                command.eventId(),
                command.eventType(),
                command.lockedBy());
    }

    @Override
    int insertNew(Connection conn, List<AcquireConsumeCommand> commands) throws SQLException {
        String arrived = (VALUES + ", ").repeat(commands.size() - 1) + VALUES;
        String sql = "MERGE INTO " + table() + " r" + arrived(arrived) + "WHEN NOT MATCHED THEN INSERT ("
                + COLUMNS + ") VALUES (a.tenant_id, a.consumer_group, a.event_id, a.event_type, a.locked_by, 1, NULL, "
                + now() + ", " + now() + ", " + now() + ")";
        List<@Nullable Object> params = new ArrayList<>();
        commands.forEach(command -> params.addAll(arrived(command)));
        return repeatIfDuplicate(() -> JdbcTemplate.update(conn, sql, params.toArray()));
    }

    private <T> T repeatIfDuplicate(Merge<T> merge) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return merge.run();
            } catch (SQLException e) {
                if (tries == TRIES || !failures().is(Failure.DUPLICATE, e)) {
                    throw e;
                }
            }
        }
    }

    @FunctionalInterface
    private interface Merge<T> {
        T run() throws SQLException;
    }

    /** With the limit on the delete itself: H2 would run a subquery again for each row. */
    @Override
    String purge() {
        return "DELETE FROM " + table() + " WHERE status IN (1, 2) AND created_at < " + nowPlusMicros() + " AND "
                + purgeable() + " FETCH FIRST ? ROWS ONLY";
    }
}
