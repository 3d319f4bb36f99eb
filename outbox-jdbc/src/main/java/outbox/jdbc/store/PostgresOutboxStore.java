package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.model.OutboxEvent;
import outbox.util.JsonCodec;

/** The outbox in PostgreSQL; a claim is one statement that skips rows which others are claiming. */
public final class PostgresOutboxStore extends AbstractJdbcOutboxStore {

    private final InsertStatement insertMany;

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
        super(table, codec);
        this.insertMany = new UnnestInsert(table, codec);
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

    /** Untyped, so that the server converts it to whatever the column is: JSON, JSONB or text. */
    @Override
    protected JdbcTemplate.Parameter jsonParameter(@Nullable String json) {
        return (statement, index) -> statement.setObject(index, json, Types.OTHER);
    }

    @Override
    InsertStatement insertStatement(int events) {
        return events == 1 ? super.insertStatement(events) : insertMany;
    }

    @Override
    List<OutboxEvent> claim(Connection conn, Claim claim) throws SQLException {
        return claimReturning(conn, claim);
    }

    @Override
    EventIds eventIds(Collection<String> ids) {
        return EventIds.anyOf(ids);
    }

    /** The partial index holds the pending events of both states in the order in which they are wanted. */
    @Override
    PendingIds pendingIds(String condition, int limit, Object... conditionParams) {
        List<Object> params = new ArrayList<>(List.of(conditionParams));
        params.add(limit);
        return new PendingIds(
                "SELECT event_id FROM " + table() + " WHERE status IN (0, 2) AND " + condition
                        + " ORDER BY created_at, event_id LIMIT ?",
                params);
    }
}
