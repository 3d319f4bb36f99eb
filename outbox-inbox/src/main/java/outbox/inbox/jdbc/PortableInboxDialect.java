package outbox.inbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeResult;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.dialect.RecordTime;

/**
 * For any database on which a failed insert is undone alone and leaves its transaction usable. A first arrival costs one statement; an
 * existing record is noticed by the failure of the insert, read by a second statement and, if it is free, taken over by a third.
 */
final class PortableInboxDialect extends InboxDialect {

    private static final String INSERT = """
            INSERT INTO %1$s (tenant_id, consumer_group, event_id, event_type, locked_by, status, locked_until, processed_at, \
            created_at, updated_at) VALUES""";

    private static final String TAKE_OVER = """
            UPDATE %1$s SET retry_count = retry_count + CASE WHEN status = 0 THEN 1 ELSE 0 END, status = %2$s, \
            locked_by = ?, locked_until = %3$s, processed_at = %4$s, updated_at = %5$s, %6$s \
            WHERE consumer_group = ? AND event_id = ? AND %7$s""";

    private final String insert;
    private final String leasedRow;
    private final String handledRow;
    private final String look;
    private final String takeOver;
    private final String takeOverAsSuccess;

    PortableInboxDialect(Dialect database, TableName table, RecordTime time) {
        super(database, table, time);
        String code = AcquireCode.sql(this, "", "?");
        String free = AcquireCode.isFree(code);
        String retryAt = "next_retry_at = CASE WHEN payload IS NULL THEN NULL ELSE " + nowPlusMicros() + " END";
        this.insert = String.format(Locale.ROOT, INSERT, table);
        this.leasedRow = "(?, ?, ?, ?, ?, 0, " + nowPlusMicros() + ", NULL, " + now() + ", " + now() + ")";
        this.handledRow = "(?, ?, ?, ?, ?, 1, NULL, " + now() + ", " + now() + ", " + now() + ")";
        this.look = "SELECT " + code + " FROM " + table + " WHERE consumer_group = ? AND event_id = ?";
        this.takeOver =
                String.format(Locale.ROOT, TAKE_OVER, table, "0", nowPlusMicros(), "NULL", now(), retryAt, free);
        this.takeOverAsSuccess = String.format(
                Locale.ROOT, TAKE_OVER, table, "1", "NULL", now(), now(), RecordColumns.CLEARED_BY_SUCCESS, free);
    }

    @Override
    AcquireConsumeResult acquire(Connection conn, AcquireConsumeCommand command) throws SQLException {
        long lease = micros(command.lockTtl());
        List<@Nullable Object> row = row(command);
        row.add(lease);
        if (insert(conn, leasedRow, row)) {
            return ACQUIRED;
        }
        return AcquireCode.answer(look(conn, command), () -> takeOver(conn, takeOver, command, lease, lease));
    }

    @Override
    AcquireConsumeResult recordSuccess(Connection conn, AcquireConsumeCommand command) throws SQLException {
        if (insert(conn, handledRow, row(command))) {
            return ACQUIRED;
        }
        return AcquireCode.answer(look(conn, command), () -> takeOver(conn, takeOverAsSuccess, command));
    }

    /** All or nothing; false if a record already exists. */
    private boolean insert(Connection conn, String rows, List<@Nullable Object> params) throws SQLException {
        try {
            JdbcTemplate.update(conn, insert + " " + rows, params.toArray());
            return true;
        } catch (SQLException e) {
            if (failures().is(Failure.DUPLICATE, e)) {
                return false;
            }
            throw e;
        }
    }

    private static List<@Nullable Object> row(AcquireConsumeCommand command) {
        return new ArrayList<>(Arrays.asList(
                command.tenantId(),
                command.consumerGroup(),
                command.eventId(),
                command.eventType(),
                command.lockedBy()));
    }

    private OptionalLong look(Connection conn, AcquireConsumeCommand command) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        look,
                        row -> JdbcTemplate.getLong(row, 1),
                        command.eventType(),
                        command.consumerGroup(),
                        command.eventId())
                .stream()
                .findFirst()
                .orElse(OptionalLong.empty());
    }

    private static int takeOver(Connection conn, String sql, AcquireConsumeCommand command, Object... times)
            throws SQLException {
        List<Object> params = new ArrayList<>(List.of(command.lockedBy()));
        params.addAll(Arrays.asList(times));
        params.addAll(List.of(command.consumerGroup(), command.eventId(), command.eventType()));
        return JdbcTemplate.update(conn, sql, params.toArray());
    }

    /** With one statement, unless some exist. */
    @Override
    int insertNew(Connection conn, List<AcquireConsumeCommand> commands) throws SQLException {
        List<@Nullable Object> params = new ArrayList<>();
        commands.forEach(command -> params.addAll(row(command)));
        if (insert(conn, (handledRow + ", ").repeat(commands.size() - 1) + handledRow, params)) {
            return commands.size();
        }
        int inserted = 0;
        for (AcquireConsumeCommand command : commands) {
            inserted += insert(conn, handledRow, row(command)) ? 1 : 0;
        }
        return inserted;
    }

    @Override
    String purge() {
        return "DELETE FROM " + table() + " WHERE (consumer_group, event_id) IN (SELECT consumer_group, event_id FROM "
                + table() + " WHERE created_at < " + nowPlusMicros() + " AND " + purgeable()
                + " ORDER BY created_at LIMIT ?)";
    }
}
