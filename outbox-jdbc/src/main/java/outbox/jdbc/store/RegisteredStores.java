package outbox.jdbc.store;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import outbox.jdbc.OwnIsolation;
import outbox.jdbc.StoreFinder;
import outbox.jdbc.TableName;
import outbox.util.JsonCodec;

/** Answers for the stores of {@link JdbcOutboxStores}. Public only because it is a service. */
public final class RegisteredStores implements StoreFinder {

    /** Made by {@link java.util.ServiceLoader}. */
    public RegisteredStores() {}

    @Override
    public Found find(DataSource dataSource, TableName table) {
        return found(dataSource, table, JdbcOutboxStores.on(dataSource, table));
    }

    @Override
    public Found named(DataSource dataSource, TableName table, String database) {
        Objects.requireNonNull(dataSource, "dataSource");
        Objects.requireNonNull(table, "table");
        return found(dataSource, table, JdbcOutboxStores.get(database).newInstance(table, JsonCodec.getDefault()));
    }

    private static Found found(DataSource dataSource, TableName table, AbstractJdbcOutboxStore store) {
        return new Found(store, store.purger(), () -> store.dialect().relayLock(dataSource, table));
    }

    @Override
    public OwnIsolation ownIsolation(DatabaseMetaData database, int level) throws SQLException {
        return JdbcOutboxStores.dialectOf(database).ownIsolation(level);
    }
}
