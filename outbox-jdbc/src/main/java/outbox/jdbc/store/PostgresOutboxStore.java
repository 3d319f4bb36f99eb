package outbox.jdbc.store;

import outbox.jdbc.TableName;
import outbox.jdbc.dialect.PostgresDialect;
import outbox.jdbc.purge.PostgresEventPurger;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/** The outbox in PostgreSQL; a claim is one statement that skips rows which others are claiming. */
public final class PostgresOutboxStore extends AbstractJdbcOutboxStore {

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

    private PostgresOutboxStore(TableName table, JsonCodec codec) {
        super(table, codec, new PostgresDialect());
    }

    /** A store on a table that may be in a schema of its own. */
    public static PostgresOutboxStore on(TableName table, JsonCodec codec) {
        return new PostgresOutboxStore(table, codec);
    }

    @Override
    public EventPurger purger() {
        return PostgresEventPurger.on(table());
    }

    @Override
    protected PostgresOutboxStore newInstance(TableName table, JsonCodec codec) {
        return on(table, codec);
    }
}
