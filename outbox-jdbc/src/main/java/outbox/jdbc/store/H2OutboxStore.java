package outbox.jdbc.store;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.OwnIsolation;
import outbox.jdbc.TableName;
import outbox.jdbc.purge.H2EventPurger;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/** The outbox in H2 2.x, with the two-phase claim of its base class. */
public final class H2OutboxStore extends AbstractJdbcOutboxStore {

    /** Works on {@code outbox_event}. */
    public H2OutboxStore() {
        this(TableName.DEFAULT, JsonCodec.getDefault());
    }

    /** Works on the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public H2OutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    /** Works on the given table and writes headers with the given codec. */
    public H2OutboxStore(String tableName, JsonCodec codec) {
        this(TableName.of(tableName), codec);
    }

    /** Works on a table that may be in a schema of its own. */
    public H2OutboxStore(TableName table, JsonCodec codec) {
        super(table, codec, DatabaseTime.H2);
    }

    @Override
    public EventPurger purger() {
        return new H2EventPurger(table());
    }

    @Override
    public String name() {
        return "h2";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:h2:");
    }

    @Override
    protected H2OutboxStore newInstance(TableName table, JsonCodec codec) {
        return new H2OutboxStore(table, codec);
    }

    /** Since 2.2. There is no need to limit statements: H2 gives up waiting for a lock after two seconds, unless its URL says otherwise. */
    @Override
    boolean canSkipLocked(DatabaseMetaData database) throws SQLException {
        int major = database.getDatabaseMajorVersion();
        return major > 2 || (major == 2 && database.getDatabaseMinorVersion() >= 2);
    }

    /** On a higher one a claim does not see what others have changed since it began, and fails; on a lower one it sees too much. */
    @Override
    protected OwnIsolation ownIsolation(int level) {
        return level == Connection.TRANSACTION_READ_COMMITTED
                ? OwnIsolation.AS_IT_IS
                : OwnIsolation.ofConnection(Connection.TRANSACTION_READ_COMMITTED);
    }

    /**
     * As bytes, because H2 turns a string that is bound to a JSON column into a JSON string literal; bytes are taken as JSON text
     * there, and as text by a character column.
     */
    @Override
    protected @Nullable Object jsonParameter(@Nullable String json) {
        return json == null ? null : json.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    KeyQuery newKeyQuery(TableName table) {
        return KeyQuery.byArraysAndStates(table);
    }
}
