package outbox.jdbc.store;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import outbox.jdbc.TableName;
import outbox.jdbc.purge.MariaDbEventPurger;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/** The outbox in MariaDB, through its own driver or through the one of MySQL. */
public final class MariaDbOutboxStore extends MySqlFamilyOutboxStore {

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

    /** Works on a table that may be in a schema of its own. */
    public MariaDbOutboxStore(TableName table, JsonCodec codec) {
        super(table, codec);
    }

    @Override
    public EventPurger purger() {
        return new MariaDbEventPurger(table());
    }

    @Override
    public String name() {
        return "mariadb";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:mariadb:");
    }

    @Override
    protected MariaDbOutboxStore newInstance(TableName table, JsonCodec codec) {
        return new MariaDbOutboxStore(table, codec);
    }

    @Override
    String returningSequences(String insert) {
        return insert + " RETURNING event_id, seq";
    }

    @Override
    protected boolean supports(DatabaseMetaData database) throws SQLException {
        return isOfFamily(database) && isMariaDb(database);
    }
}
