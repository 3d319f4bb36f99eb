package outbox.inbox.jdbc;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeResult;
import outbox.inbox.BatchAcquireResult;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.RecordTime;

/**
 * PostgreSQL. One statement inserts the record or, if it exists, reads it; a record that turns out to be free needs another statement. A
 * duplicate writes nothing. Whoever is about to write in a handler's transaction first tries an advisory lock of that transaction on the
 * event: so a second copy that arrives in the meantime gets an answer at once and does not wait. If two events share a lock by chance, no
 * more happens than that one of them must be delivered again.
 *
 * <p>The statement sees what was committed before it began. If it can neither insert nor see a record, somebody else has just written one,
 * and the event is in progress.
 */
final class PostgresInboxDialect extends InboxDialect {

    private static final String INSERT_OR_LOOK = """
            WITH taken AS (
              INSERT INTO %1$s (tenant_id, consumer_group, event_id, event_type, status, locked_by, locked_until,
                processed_at, created_at, updated_at)
              SELECT ?::varchar, ?::varchar, ?::varchar, ?::varchar, %2$s, ?::varchar, %3$s,
                statement_timestamp(), statement_timestamp()
              WHERE %4$s
              ON CONFLICT (consumer_group, event_id) DO NOTHING
              RETURNING CAST(0 AS bigint) AS code)
            SELECT COALESCE((SELECT code FROM taken),
              (SELECT %5$s FROM %1$s WHERE consumer_group = ? AND event_id = ?))""";

    private static final String TAKE_OVER = """
            UPDATE %1$s SET retry_count = retry_count + CASE WHEN status = 0 THEN 1 ELSE 0 END, status = %2$s,
              locked_by = ?, (locked_until, processed_at) = (SELECT %3$s), updated_at = statement_timestamp(), %4$s
            WHERE consumer_group = ? AND event_id = ? AND %5$s AND %6$s""";

    private static final String LOCKED = "pg_try_advisory_xact_lock(hashtextextended(?::varchar, 0))";

    /** Reads existing records only if not all were new, and by the primary key, whatever statistics the server has. */
    private static final String INSERT_ALL = """
            WITH taken AS (
              INSERT INTO %1$s (tenant_id, consumer_group, event_id, event_type, status, locked_by, processed_at,
                created_at, updated_at)
              SELECT tenant_id, ?::varchar, event_id, event_type, 1, ?::varchar, statement_timestamp(),
                statement_timestamp(), statement_timestamp()
              FROM unnest(?::varchar[], ?::varchar[], ?::varchar[]) AS a (tenant_id, event_id, event_type)
              ORDER BY event_id
              ON CONFLICT (consumer_group, event_id) DO NOTHING
              RETURNING event_id, event_type)
            SELECT event_id, event_type, true FROM taken
            UNION ALL
            SELECT event_id, event_type, false FROM %1$s WHERE (SELECT count(*) FROM taken) < ?
              AND consumer_group = ? AND event_id = ANY (?::varchar[]) AND status = 1""";

    private final String acquire;
    private final String takeOver;
    private final String recordSuccess;
    private final String takeOverAsSuccess;
    private final String recordSuccesses;

    PostgresInboxDialect(Dialect database, TableName table, RecordTime time) {
        super(database, table, time);
        String lease = nowPlusMicros() + ", NULL::timestamptz";
        String success = "NULL::timestamptz, statement_timestamp()";
        String code = AcquireCode.sql(this, "", "?");
        String free = AcquireCode.isFree(code);
        this.acquire = String.format(Locale.ROOT, INSERT_OR_LOOK, table, "0", lease, "true", code);
        this.takeOver = String.format(
                Locale.ROOT,
                TAKE_OVER,
                table,
                "0",
                lease,
                "next_retry_at = CASE WHEN payload IS NULL THEN NULL ELSE " + nowPlusMicros() + " END",
                free,
                "true");
        this.recordSuccess = String.format(Locale.ROOT, INSERT_OR_LOOK, table, "1", success, LOCKED, code);
        this.takeOverAsSuccess = String.format(
                Locale.ROOT, TAKE_OVER, table, "1", success, RecordColumns.CLEARED_BY_SUCCESS, free, LOCKED);
        this.recordSuccesses = String.format(Locale.ROOT, INSERT_ALL, table);
    }

    @Override
    AcquireConsumeResult acquire(Connection conn, AcquireConsumeCommand command) throws SQLException {
        Long lease = micros(command.lockTtl());
        OptionalLong code = look(conn, acquire, command, lease);
        return AcquireCode.answer(
                code,
                () -> JdbcTemplate.update(
                        conn,
                        takeOver,
                        command.lockedBy(),
                        lease,
                        lease,
                        command.consumerGroup(),
                        command.eventId(),
                        command.eventType()));
    }

    @Override
    AcquireConsumeResult recordSuccess(Connection conn, AcquireConsumeCommand command) throws SQLException {
        String lock = command.consumerGroup() + "/" + command.eventId();
        OptionalLong code = look(conn, recordSuccess, command, lock);
        return AcquireCode.answer(
                code,
                () -> JdbcTemplate.update(
                        conn,
                        takeOverAsSuccess,
                        command.lockedBy(),
                        command.consumerGroup(),
                        command.eventId(),
                        command.eventType(),
                        lock));
    }

    /** The code of the existing record, 0 if it has just been inserted, empty if neither. */
    private static OptionalLong look(Connection conn, String sql, AcquireConsumeCommand command, Object last)
            throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        sql,
                        row -> JdbcTemplate.getLong(row, 1),
                        command.tenantId(),
                        command.consumerGroup(),
                        command.eventId(),
                        command.eventType(),
                        command.lockedBy(),
                        last,
                        command.eventType(),
                        command.consumerGroup(),
                        command.eventId())
                .get(0);
    }

    @Override
    BatchAcquireResult recordSuccesses(Connection conn, List<AcquireConsumeCommand> commands) throws SQLException {
        AcquireConsumeCommand first = commands.get(0);
        BatchAnswer answer = new BatchAnswer(commands);
        Array ids = array(conn, commands, AcquireConsumeCommand::eventId);
        JdbcTemplate.query(
                conn,
                recordSuccesses,
                row -> answer.add(row.getString(1), row.getString(2), row.getBoolean(3)),
                first.consumerGroup(),
                first.lockedBy(),
                array(conn, commands, AcquireConsumeCommand::tenantId),
                ids,
                array(conn, commands, AcquireConsumeCommand::eventType),
                commands.size(),
                first.consumerGroup(),
                ids);
        return answer.result();
    }

    private static Array array(
            Connection conn,
            List<AcquireConsumeCommand> commands,
            Function<AcquireConsumeCommand, @Nullable String> part)
            throws SQLException {
        return conn.createArrayOf("varchar", commands.stream().map(part).toArray());
    }

    @Override
    int insertNew(Connection conn, List<AcquireConsumeCommand> commands) {
        throw new UnsupportedOperationException("PostgreSQL inserts and looks in one statement");
    }

    @Override
    String purge() {
        return "DELETE FROM " + table() + " WHERE (consumer_group, event_id) IN (SELECT consumer_group, event_id FROM "
                + table() + " WHERE created_at < " + nowPlusMicros() + " AND " + purgeable()
                + " ORDER BY created_at LIMIT ?)";
    }
}
