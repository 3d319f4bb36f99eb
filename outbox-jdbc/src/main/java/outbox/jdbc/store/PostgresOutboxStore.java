package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OwnIsolation;
import outbox.jdbc.TableName;
import outbox.jdbc.internal.EventIds;
import outbox.jdbc.internal.EventRowMapper;
import outbox.jdbc.purge.PostgresEventPurger;
import outbox.model.OutboxEvent;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/** The outbox in PostgreSQL; a claim is one statement that skips rows which others are claiming. */
public final class PostgresOutboxStore extends AbstractJdbcOutboxStore {

    private static final Instant YEAR_1 = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant YEAR_10000 =
            Instant.parse("9999-12-31T00:00:00Z").plus(1, ChronoUnit.DAYS);

    /** Works on {@code outbox_event}. */
    public PostgresOutboxStore() {
        this(TableName.DEFAULT, JsonCodec.getDefault());
    }

    /** Works on the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public PostgresOutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    /** Works on the given table and writes headers with the given codec. */
    public PostgresOutboxStore(String tableName, JsonCodec codec) {
        this(TableName.of(tableName), codec);
    }

    /** Works on a table that may be in a schema of its own. */
    public PostgresOutboxStore(TableName table, JsonCodec codec) {
        super(table, codec, DatabaseTime.postgres(table));
    }

    @Override
    public EventPurger purger() {
        return new PostgresEventPurger(table());
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:postgresql:");
    }

    @Override
    protected PostgresOutboxStore newInstance(TableName table, JsonCodec codec) {
        return new PostgresOutboxStore(table, codec);
    }

    @Override
    protected boolean supports(DatabaseMetaData database) throws SQLException {
        return super.supports(database) || "PostgreSQL".equalsIgnoreCase(database.getDatabaseProductName());
    }

    /** On a higher one a claim fails when somebody else changes what it has seen, and drags the application's transactions along. */
    @Override
    protected OwnIsolation ownIsolation(int level) {
        return level > Connection.TRANSACTION_READ_COMMITTED
                ? OwnIsolation.ofTransaction(Connection.TRANSACTION_READ_COMMITTED)
                : OwnIsolation.AS_IT_IS;
    }

    /** Untyped, so that the server converts it to whatever the column is: JSON, JSONB or text. */
    @Override
    protected JdbcTemplate.Parameter jsonParameter(@Nullable String json) {
        return (statement, index) -> statement.setObject(index, json, Types.OTHER);
    }

    /**
     * Untyped as well, in UTC: read right by TIMESTAMP, which ignores the zone, and by TIMESTAMPTZ. Several times as quick as by way of a
     * calendar, which is what the driver needs for years that are not of four digits.
     */
    @Override
    protected Object timeParameter(Instant time) {
        if (time.isBefore(YEAR_1) || !time.isBefore(YEAR_10000)) {
            return time;
        }
        String text = time.truncatedTo(ChronoUnit.MICROS).toString();
        return (JdbcTemplate.Parameter) (statement, index) -> statement.setObject(index, text, Types.OTHER);
    }

    @Override
    InsertStatements newInserts(TableName table, JsonCodec codec, @Nullable DatabaseTime leasedAt) {
        return new InsertStatements(
                super.newInserts(table, codec, leasedAt).one(), new UnnestInsert(table, codec, leasedAt));
    }

    @Override
    void insertMissing(
            Connection conn,
            InsertStatements statements,
            List<EventEnvelope> chunk,
            BornLeased leased,
            OnceInsert.Found found)
            throws SQLException {
        if (statements.several() instanceof UnnestInsert unnest) {
            unnest.insertMissing(conn, chunk, leased, columns().hasSequence(conn), found);
        }
    }

    @Override
    OrderedInsert newOrderedInsert(TableName table, JsonCodec codec, DatabaseTime time) {
        return new OrderedInsert(table, codec, time, this);
    }

    @Override
    KeyQuery newKeyQuery(TableName table) {
        return KeyQuery.byArrays(table);
    }

    @Override
    boolean skipsLocked(DatabaseMetaData database) {
        return true;
    }

    /** The driver keeps the time and asks the server, on another connection, to cancel what takes too long. */
    @Override
    protected boolean limitsStatements() {
        return true;
    }

    @Override
    boolean claimsInOneStatement() {
        return true;
    }

    @Override
    EventIds eventIds(Collection<String> ids) {
        return EventIds.anyOf(ids);
    }

    /** Unlike MySQL it can sort payloads, and there is nothing to sort: so events are read where their ids are found. */
    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        PendingIds due = pending(EventRowMapper.COLUMNS, DUE, limit, now, now.minus(skipRecent));
        List<OutboxEvent> events = run(
                "poll pending events",
                () -> JdbcTemplate.query(
                        conn, due.sql(), new EventRowMapper(), due.params().toArray()));
        events.sort(CLAIM_ORDER);
        return events;
    }

    /** The partial index holds the pending events of both states in the order in which they are wanted. */
    @Override
    PendingIds pending(String columns, String condition, int limit, Object... conditionParams) {
        List<Object> params = new ArrayList<>(List.of(conditionParams));
        params.add(limit);
        return new PendingIds(
                "SELECT " + columns + " FROM " + table() + " candidate WHERE status IN (0, 2) AND " + condition
                        + " ORDER BY created_at, event_id LIMIT ?",
                params);
    }
}
