package outbox.jdbc.store;

import outbox.jdbc.TableName;
import outbox.jdbc.dialect.MySqlDialect;
import outbox.jdbc.purge.MySqlEventPurger;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/** The outbox in MySQL 8 and TiDB. */
public final class MySqlOutboxStore extends AbstractJdbcOutboxStore {

    /** Works on {@code outbox_event}. */
    public MySqlOutboxStore() {
        this(TableName.DEFAULT, JsonCodec.getDefault());
    }

    /** Works on the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public MySqlOutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    /** Works on the given table and writes headers with the given codec. */
    public MySqlOutboxStore(String tableName, JsonCodec codec) {
        this(TableName.of(tableName), codec);
    }

    private MySqlOutboxStore(TableName table, JsonCodec codec) {
        super(table, codec, new MySqlDialect());
    }

    /** A store on a table that may be in a schema of its own. */
    public static MySqlOutboxStore on(TableName table, JsonCodec codec) {
        return new MySqlOutboxStore(table, codec);
    }

    @Override
    public EventPurger purger() {
        return MySqlEventPurger.on(table());
    }

    @Override
    protected MySqlOutboxStore newInstance(TableName table, JsonCodec codec) {
        return on(table, codec);
    }
}
