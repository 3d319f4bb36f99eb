package outbox.jdbc.store;

import outbox.jdbc.TableName;
import outbox.jdbc.dialect.H2Dialect;
import outbox.jdbc.purge.H2EventPurger;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/** The outbox in H2 2.x. */
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

    private H2OutboxStore(TableName table, JsonCodec codec) {
        super(table, codec, new H2Dialect());
    }

    /** A store on a table that may be in a schema of its own. */
    public static H2OutboxStore on(TableName table, JsonCodec codec) {
        return new H2OutboxStore(table, codec);
    }

    @Override
    public EventPurger purger() {
        return H2EventPurger.on(table());
    }

    @Override
    protected H2OutboxStore newInstance(TableName table, JsonCodec codec) {
        return on(table, codec);
    }
}
