package outbox.jdbc.store;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import outbox.jdbc.TableName;
import outbox.jdbc.purge.MySqlEventPurger;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/** The outbox in MySQL 8 and TiDB. */
public final class MySqlOutboxStore extends MySqlFamilyOutboxStore {

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

    /** Works on a table that may be in a schema of its own. */
    public MySqlOutboxStore(TableName table, JsonCodec codec) {
        super(table, codec);
    }

    @Override
    public EventPurger purger() {
        return new MySqlEventPurger(table());
    }

    @Override
    public String name() {
        return "mysql";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:mysql:", "jdbc:tidb:");
    }

    @Override
    protected MySqlOutboxStore newInstance(TableName table, JsonCodec codec) {
        return new MySqlOutboxStore(table, codec);
    }

    @Override
    protected boolean supports(DatabaseMetaData database) throws SQLException {
        return isOfFamily(database) && !isMariaDb(database);
    }
}
