package outbox.inbox.jdbc;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeResult;
import outbox.inbox.BatchAcquireResult;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;

/**
 * PostgreSQL. A record that is not free is only read, so that a duplicate writes nothing. Whoever is about to write in a handler's
 * transaction first tries an advisory lock of that transaction on the event: so a second copy that arrives meanwhile is told, and does not
 * wait. Two events that share a lock by chance disturb each other no more than that one of them is asked to come again.
 */
final class PostgresInboxDialect extends InboxDialect {

    /** How often to look again at a record that was written between the look and the insert. */
    private static final int TRIES = 3;

    private static final String INSERT = """
            WITH found AS (SELECT %2$s AS code FROM %1$s r WHERE r.consumer_group = ? AND r.event_id = ?),
            free AS (SELECT %6$s AS mine WHERE NOT EXISTS (SELECT 1 FROM found WHERE NOT %5$s)),
            taken AS (
              INSERT INTO %1$s AS r (tenant_id, consumer_group, event_id, event_type, status, locked_by, locked_until,
                processed_at, created_at, updated_at)
              SELECT ?::varchar, ?::varchar, ?::varchar, ?::varchar, %3$s, ?::varchar, %4$s,
                statement_timestamp(), statement_timestamp()
              FROM free WHERE mine
              ON CONFLICT (consumer_group, event_id) DO UPDATE SET status = excluded.status,
                locked_by = excluded.locked_by, locked_until = excluded.locked_until,
                processed_at = excluded.processed_at, updated_at = excluded.updated_at,
                retry_count = r.retry_count + CASE WHEN r.status = 0 THEN 1 ELSE 0 END, %7$s
              WHERE %8$s
              RETURNING 1)
            SELECT (SELECT code FROM found), (SELECT count(*) FROM taken), (SELECT mine FROM free)""";

    private static final String INSERT_ALL = """
            WITH arrived AS (SELECT * FROM unnest(?::varchar[], ?::varchar[], ?::varchar[])
              AS a (tenant_id, event_id, event_type)),
            taken AS (
              INSERT INTO %1$s (tenant_id, consumer_group, event_id, event_type, status, locked_by, processed_at,
                created_at, updated_at)
              SELECT tenant_id, ?::varchar, event_id, event_type, 1, ?::varchar, statement_timestamp(),
                statement_timestamp(), statement_timestamp()
              FROM arrived ORDER BY event_id
              ON CONFLICT (consumer_group, event_id) DO NOTHING
              RETURNING event_id)
            SELECT event_id, true FROM taken
            UNION ALL
            SELECT r.event_id, false FROM %1$s r JOIN arrived a ON r.event_id = a.event_id
              AND r.event_type = a.event_type WHERE r.consumer_group = ? AND r.status = 1""";

    private final String acquire;
    private final String recordSuccess;
    private final String recordSuccesses;

    PostgresInboxDialect(TableName table) {
        super("postgresql", table);
        this.acquire = insert(
                "0",
                nowPlusMicros() + ", NULL::timestamptz",
                "true",
                "next_retry_at = CASE WHEN r.payload IS NULL THEN NULL ELSE excluded.locked_until END");
        this.recordSuccess = insert(
                "1",
                "NULL::timestamptz, statement_timestamp()",
                "pg_try_advisory_xact_lock(hashtextextended(?::varchar, 0))",
                RecordColumns.CLEARED_BY_SUCCESS);
        this.recordSuccesses = INSERT_ALL.formatted(table);
    }

    private String insert(String status, String times, String guard, String assignments) {
        return INSERT.formatted(
                table(),
                AcquireCode.sql(this, "r.", "?"),
                status,
                times,
                AcquireCode.isFree("code"),
                guard,
                assignments,
                AcquireCode.isFree(AcquireCode.sql(this, "r.", "excluded.event_type")));
    }

    @Override
    String now() {
        return "statement_timestamp()";
    }

    @Override
    String nowPlusMicros() {
        return "(statement_timestamp() + ?::bigint * interval '1 microsecond')";
    }

    @Override
    String microsUntil(String time) {
        return "CAST(EXTRACT(EPOCH FROM " + time + " - statement_timestamp()) * 1000000 AS bigint)";
    }

    @Override
    AcquireConsumeResult acquire(Connection conn, AcquireConsumeCommand command) throws SQLException {
        List<@Nullable Object> params = new ArrayList<>(found(command));
        params.addAll(arrived(command));
        params.add(micros(command.lockTtl()));
        return take(conn, acquire, params);
    }

    @Override
    AcquireConsumeResult recordSuccess(Connection conn, AcquireConsumeCommand command) throws SQLException {
        List<@Nullable Object> params = new ArrayList<>(found(command));
        params.add(command.consumerGroup() + "/" + command.eventId());
        params.addAll(arrived(command));
        return take(conn, recordSuccess, params);
    }

    private static List<String> found(AcquireConsumeCommand command) {
        return List.of(command.eventType(), command.consumerGroup(), command.eventId());
    }

    private static List<@Nullable String> arrived(AcquireConsumeCommand command) {
        return Arrays.asList(
                command.tenantId(),
                command.consumerGroup(),
                command.eventId(),
                command.eventType(),
                command.lockedBy());
    }

    private static AcquireConsumeResult take(Connection conn, String sql, List<@Nullable Object> params)
            throws SQLException {
        for (int tries = 1; tries <= TRIES; tries++) {
            Found found = JdbcTemplate.query(
                            conn,
                            sql,
                            row -> new Found(row.getLong(1), row.getLong(2) > 0, row.getBoolean(3)),
                            params.toArray())
                    .get(0);
            if (found.taken()) {
                return found.code() == 0 ? ACQUIRED : AcquireCode.decode(found.code());
            }
            if (found.code() != 0 && !AcquireCode.isFree(found.code())) {
                return AcquireCode.decode(found.code());
            }
            if (!found.mine()) {
                return IN_PROGRESS;
            }
        }
        return IN_PROGRESS;
    }

    /**
     * What the statement saw and did.
     *
     * @param code 0 if there was no record
     * @param taken whether there is one of the caller now
     * @param mine whether nobody else was about to write it
     */
    private record Found(long code, boolean taken, boolean mine) {}

    @Override
    BatchAcquireResult recordSuccesses(Connection conn, List<AcquireConsumeCommand> commands) throws SQLException {
        String group = commands.get(0).consumerGroup();
        Set<String> acquired = new HashSet<>();
        Set<String> succeeded = new HashSet<>();
        JdbcTemplate.query(
                conn,
                recordSuccesses,
                row -> (row.getBoolean(2) ? acquired : succeeded).add(row.getString(1)),
                array(conn, commands, AcquireConsumeCommand::tenantId),
                array(conn, commands, AcquireConsumeCommand::eventId),
                array(conn, commands, AcquireConsumeCommand::eventType),
                group,
                commands.get(0).lockedBy(),
                group);
        return new BatchAcquireResult(acquired, succeeded);
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

    /** It would have aborted the transaction. */
    @Override
    boolean isLockTimeout(SQLException e) {
        return false;
    }
}
