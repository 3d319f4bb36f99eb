package outbox.inbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeResult;
import outbox.inbox.AcquireConsumeState;
import outbox.inbox.BatchAcquireResult;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Binding;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.Failures;
import outbox.jdbc.dialect.RecordTime;

/** What databases do differently. All times are the database's, as of the start of the statement. */
abstract class InboxDialect {

    static final AcquireConsumeResult ACQUIRED = AcquireConsumeResult.of(AcquireConsumeState.ACQUIRED);
    static final AcquireConsumeResult IN_PROGRESS = AcquireConsumeResult.of(AcquireConsumeState.IN_PROGRESS);

    private final Dialect database;
    private final TableName table;
    private final RecordTime time;

    InboxDialect(Dialect database, TableName table, RecordTime time) {
        this.database = database;
        this.table = table;
        this.time = time;
    }

    static InboxDialect of(Dialect database, TableName table) {
        RecordTime time = database.recordTime();
        if (time == null) {
            throw new IllegalArgumentException("No inbox for database \"" + database.name()
                    + "\"; its dialect has no recordTime; or implement EventDedupRepository");
        }
        return switch (database.capabilities().upsert()) {
            case ON_CONFLICT -> new PostgresInboxDialect(database, table, time);
            case ON_DUPLICATE_KEY -> new MySqlInboxDialect(database, table, time);
            case MERGE -> new H2InboxDialect(database, table, time);
            case NONE -> new PortableInboxDialect(database, table, time);
        };
    }

    final String name() {
        return database.name();
    }

    /** The jar with the scripts. */
    final String scriptsIn() {
        return Objects.requireNonNullElse(database.scriptsIn(), "outbox-inbox");
    }

    final TableName table() {
        return table;
    }

    /** An SQL expression for the time. */
    final String now() {
        return time.now();
    }

    /** The same with one parameter: microseconds that are added, or null for no time at all. */
    final String nowPlusMicros() {
        return time.nowPlusMicros();
    }

    /** An SQL expression for the microseconds until a time. */
    final String microsUntil(String until) {
        return time.microsUntil(until);
    }

    /** How values are bound and read. */
    final Binding binding() {
        return database.binding();
    }

    /** What the database means by exceptions. */
    final Failures failures() {
        return database.failures();
    }

    /** Whether spaces behind a text make it another one, in the tables of the scripts. */
    final boolean spacesCount() {
        return !database.probes().ignoresSpacesBehind();
    }

    /** Acquires an event with a lease, in one statement. */
    abstract AcquireConsumeResult acquire(Connection conn, AcquireConsumeCommand command) throws SQLException;

    /** Acquires an event and records it as handled, in one statement. */
    abstract AcquireConsumeResult recordSuccess(Connection conn, AcquireConsumeCommand command) throws SQLException;

    /** The statement that deletes old records; its parameters are the retention in microseconds, three times, and the limit. */
    abstract String purge();

    /** Inserts records of handled events, except those that exist; returns how many were inserted. */
    abstract int insertNew(Connection conn, List<AcquireConsumeCommand> commands) throws SQLException;

    /** Acquires events that have no record yet: with one statement if that is true for all, otherwise with another one to see which. */
    BatchAcquireResult recordSuccesses(Connection conn, List<AcquireConsumeCommand> commands) throws SQLException {
        if (insertNew(conn, commands) == commands.size()) {
            return new BatchAcquireResult(
                    commands.stream().map(AcquireConsumeCommand::eventId).collect(Collectors.toSet()), Set.of());
        }
        AcquireConsumeCommand first = commands.get(0);
        BatchAnswer answer = new BatchAnswer(commands);
        String sql = "SELECT event_id, event_type, locked_by FROM " + table
                + " WHERE status = 1 AND consumer_group = ? AND event_id IN (" + "?, ".repeat(commands.size() - 1)
                + "?)";
        Object[] params = Stream.concat(
                        Stream.of(first.consumerGroup()), commands.stream().map(AcquireConsumeCommand::eventId))
                .toArray();
        JdbcTemplate.query(
                conn,
                sql,
                row -> answer.add(
                        row.getString(1), row.getString(2), first.lockedBy().equals(row.getString(3))),
                params);
        return answer.result();
    }

    /** The condition of records that may be deleted, on their own times; with two parameters. */
    final String purgeable() {
        String before = nowPlusMicros();
        return "((status = 1 AND processed_at < " + before + ") OR (status = 2 AND updated_at < " + before
                + " AND (next_retry_at IS NULL OR payload IS NULL)))";
    }

    static long micros(Duration duration) {
        return Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), duration.getNano() / 1_000);
    }
}
