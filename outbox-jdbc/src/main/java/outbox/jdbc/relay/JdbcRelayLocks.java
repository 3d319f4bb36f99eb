package outbox.jdbc.relay;

import javax.sql.DataSource;
import outbox.jdbc.TableName;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.spi.RelayLock;

/** Finds the lock that fits a database; see {@link outbox.poller.OutboxPoller.Builder#singleActive}. */
public final class JdbcRelayLocks {

    private JdbcRelayLocks() {}

    /**
     * A lock for those that deliver the events of one table. On PostgreSQL, MySQL and MariaDB the process that holds it keeps a
     * connection of the data source; the others borrow one for each try.
     *
     * @throws IllegalArgumentException if the database has no such lock
     */
    public static RelayLock forTable(DataSource dataSource, TableName table) {
        return JdbcOutboxStores.detect(dataSource).dialect().relayLock(dataSource, table);
    }
}
