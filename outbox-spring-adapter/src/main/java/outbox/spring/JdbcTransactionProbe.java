package outbox.spring;

import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Asks whether this thread's transaction covers a data source; never begins or ends one.
 *
 * <p>That a connection is bound to the thread does not say so: during a transaction on one data source Spring also keeps
 * the connections that were merely borrowed from others. Only a transaction manager can tell them apart, so this is one.
 */
final class JdbcTransactionProbe extends DataSourceTransactionManager {

    private static final long serialVersionUID = 1L;

    JdbcTransactionProbe(DataSource dataSource) {
        super(dataSource);
    }

    /** The data source that transactions are bound to: a transaction-aware proxy's target, or what was given. */
    DataSource target() {
        return obtainDataSource();
    }

    boolean isCovered() {
        return TransactionSynchronizationManager.getResource(target()) instanceof ConnectionHolder holder
                && !isBorrowed(holder);
    }

    /**
     * A borrowed connection is synchronized with the transaction without taking part in it. JPA's transaction manager
     * exposes its connection in a holder that is neither synchronized nor marked as taking part, and that one counts.
     */
    private boolean isBorrowed(ConnectionHolder holder) {
        return holder.isSynchronizedWithTransaction() && !isExistingTransaction(doGetTransaction());
    }
}
