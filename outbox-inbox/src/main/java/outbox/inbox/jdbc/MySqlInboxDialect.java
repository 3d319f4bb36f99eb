package outbox.inbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeResult;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.RecordTime;

/**
 * MySQL and MariaDB. MySQL cannot return rows from an insert that finds its row (MariaDB can), but both remember the argument of
 * {@code LAST_INSERT_ID(…)} and send it along with the row count: so the statement reports what it found. Assignments see what earlier
 * ones have set; the id of the attempt is assigned first, and the others depend on it.
 */
final class MySqlInboxDialect extends InboxDialect {

    private static final String COLUMNS = "tenant_id, consumer_group, event_id, event_type, status, locked_by,"
            + " locked_until, processed_at, created_at, updated_at";

    private final String acquire;
    private final String recordSuccess;

    MySqlInboxDialect(Dialect database, TableName table, RecordTime time) {
        super(database, table, time);
        this.acquire = insert(
                "0",
                nowPlusMicros() + ", NULL",
                "next_retry_at = IF(" + taken() + " AND payload IS NOT NULL, VALUES(locked_until), IF(" + taken()
                        + ", NULL, next_retry_at))");
        this.recordSuccess = insert("1", "NULL, " + now(), clearedIfTaken());
    }

    private String insert(String status, String times, String assignments) {
        String code = AcquireCode.sql(this, "", "VALUES(event_type)");
        return "INSERT INTO " + table() + " (" + COLUMNS + ") VALUES (?, ?, ?, ?, " + status + ", ?, " + times + ", "
                + now() + ", " + now() + ") ON DUPLICATE KEY UPDATE locked_by = IF("
                + AcquireCode.isFree("LAST_INSERT_ID(" + code + ")") + ", VALUES(locked_by), locked_by),"
                + " retry_count = retry_count + IF(" + taken() + " AND status = 0, 1, 0), "
                + assignments
                + ifTaken("locked_until")
                + ifTaken("processed_at")
                + ifTaken("updated_at")
                + ifTaken("status");
    }

    private static String taken() {
        return "locked_by = VALUES(locked_by)";
    }

    private static String ifTaken(String column) {
        return ", " + column + " = IF(" + taken() + ", VALUES(" + column + "), " + column + ")";
    }

    private static String clearedIfTaken() {
        return RecordColumns.CLEARED_BY_SUCCESS.replaceAll("(\\w+) = NULL", "$1 = IF(" + taken() + ", NULL, $1)");
    }

    @Override
    AcquireConsumeResult acquire(Connection conn, AcquireConsumeCommand command) throws SQLException {
        return take(conn, acquire, command, micros(command.lockTtl()));
    }

    @Override
    AcquireConsumeResult recordSuccess(Connection conn, AcquireConsumeCommand command) throws SQLException {
        return take(conn, recordSuccess, command, null);
    }

    private static AcquireConsumeResult take(
            Connection conn, String sql, AcquireConsumeCommand command, @Nullable Long lease) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            statement.setString(1, command.tenantId());
            statement.setString(2, command.consumerGroup());
            statement.setString(3, command.eventId());
            statement.setString(4, command.eventType());
            statement.setString(5, command.lockedBy());
            if (lease != null) {
                statement.setLong(6, lease);
            }
            statement.executeUpdate();
            try (ResultSet code = statement.getGeneratedKeys()) {
                return code.next() ? AcquireCode.decode(code.getLong(1)) : ACQUIRED;
            }
        }
    }

    /** Without an exception for records that exist. Everything else that IGNORE would hide is checked before. */
    @Override
    int insertNew(Connection conn, List<AcquireConsumeCommand> commands) throws SQLException {
        String values = "(?, ?, ?, ?, 1, ?, NULL, " + now() + ", " + now() + ", " + now() + ")";
        String sql = "INSERT IGNORE INTO " + table() + " (" + COLUMNS + ") VALUES "
                + (values + ", ").repeat(commands.size() - 1) + values;
        List<@Nullable Object> params = new ArrayList<>();
        for (AcquireConsumeCommand command : commands) {
            params.addAll(Arrays.asList(
                    command.tenantId(),
                    command.consumerGroup(),
                    command.eventId(),
                    command.eventType(),
                    command.lockedBy()));
        }
        return JdbcTemplate.update(conn, sql, params.toArray());
    }

    @Override
    String purge() {
        return "DELETE FROM " + table() + " WHERE status IN (1, 2) AND created_at < " + nowPlusMicros() + " AND "
                + purgeable() + " ORDER BY status, created_at LIMIT ?";
    }
}
