package outbox.jdbc.store;

import outbox.jdbc.TableName;
import outbox.jdbc.dialect.MariaDbDialect;
import outbox.jdbc.purge.MariaDbEventPurger;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/** The outbox in MariaDB, through its own driver or through the one of MySQL. */
public final class MariaDbOutboxStore extends AbstractJdbcOutboxStore {

    /** Works on {@code outbox_event}. */
    public MariaDbOutboxStore() {
        this(TableName.DEFAULT, JsonCodec.getDefault());
    }

    /** Works on the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public MariaDbOutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    /** Works on the given table and writes headers with the given codec. */
    public MariaDbOutboxStore(String tableName, JsonCodec codec) {
        this(TableName.of(tableName), codec);
    }

    private MariaDbOutboxStore(TableName table, JsonCodec codec) {
        super(table, codec, new MariaDbDialect());
    }

    /** A store on a table that may be in a schema of its own. */
    public static MariaDbOutboxStore on(TableName table, JsonCodec codec) {
        return new MariaDbOutboxStore(table, codec);
    }

    @Override
    public EventPurger purger() {
        return MariaDbEventPurger.on(table());
    }

    @Override
    protected MariaDbOutboxStore newInstance(TableName table, JsonCodec codec) {
        return on(table, codec);
    }
}
