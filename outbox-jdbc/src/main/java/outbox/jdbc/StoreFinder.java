package outbox.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import javax.sql.DataSource;
import outbox.spi.EventPurger;
import outbox.spi.OutboxStore;
import outbox.spi.RelayLock;

/**
 * What this package asks of the stores, which are made of it and so must not be known here. Found by {@link ServiceLoader}; not for others
 * to call or to implement. Who looks for a store asks {@code outbox.jdbc.store.JdbcOutboxStores}.
 */
public interface StoreFinder {

    /** The store of a table, what purges it, and what makes the lock for one of several processes. */
    record Found(OutboxStore store, EventPurger purger, Supplier<RelayLock> relayLocks) {}

    /**
     * The store for a table of the database behind the data source.
     *
     * @throws IllegalArgumentException if there is none
     * @throws OutboxStoreException if the database cannot be asked
     */
    Found find(DataSource dataSource, TableName table);

    /**
     * The store of that name for a table behind the data source, which is not asked for anything.
     *
     * @throws IllegalArgumentException if there is none
     */
    Found named(DataSource dataSource, TableName table, String database);

    /** The level of the outbox's own transactions on connections that come with the given one. */
    OwnIsolation ownIsolation(DatabaseMetaData database, int level) throws SQLException;

    /** The one of this jar. */
    static StoreFinder get() {
        return Only.FINDER;
    }

    /** Looked for when first needed: the stores are made of classes that are being initialised with this one. */
    final class Only {

        private static final StoreFinder FINDER = ServiceLoader.load(
                        StoreFinder.class, StoreFinder.class.getClassLoader())
                .findFirst()
                .orElseThrow(() ->
                        new IllegalStateException("outbox-jdbc is incomplete: no " + StoreFinder.class.getName()));

        private Only() {}
    }
}
