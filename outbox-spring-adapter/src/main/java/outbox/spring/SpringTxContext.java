package outbox.spring;

import java.sql.Connection;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.spi.TxContext;

/**
 * The transaction that Spring has begun on this thread, by {@code @Transactional} or {@code TransactionTemplate}.
 *
 * <p>Works with every transaction manager that binds the data source's connection to the thread:
 * {@code DataSourceTransactionManager}, {@code JdbcTransactionManager}, {@code JpaTransactionManager} with a dialect that
 * exposes the connection. Give this context the data source that the transaction manager has. A JTA transaction is refused
 * like any other that does not own the data source's connection.
 *
 * <p><b>Nested transactions.</b> When {@code PROPAGATION_NESTED} (or a savepoint of {@code TransactionStatus}) is rolled
 * back, the callbacks registered since its savepoint follow it: those for a commit or an unknown outcome never run, those for a rollback run at
 * the end of the outer transaction. Savepoints set on the JDBC connection itself are unknown to Spring, and so to this
 * class. Inside {@code PROPAGATION_REQUIRES_NEW} callbacks belong to the inner transaction.
 *
 * <p><b>Several data sources.</b> Callbacks belong to the innermost transaction of the thread. In a transaction that was
 * begun on another data source inside this one's, do not write through this context: begin this one's last.
 *
 * <p><b>Exceptions.</b> All callbacks run even if one throws. The first exception of commit callbacks reaches the caller
 * of the commit, later ones are suppressed on it; the transaction stays committed. What rollback callbacks throw is logged
 * by Spring and goes no further.
 *
 * <p>Thread-safe: keeps no state of its own; everything is bound to the thread's transaction.
 */
public final class SpringTxContext implements TxContext {

    private final JdbcTransactionProbe probe;

    /**
     * A context for transactions on the data source, or on the target of a {@code TransactionAwareDataSourceProxy}.
     *
     * @throws IllegalArgumentException if the data source is such a proxy without a target
     */
    public SpringTxContext(DataSource dataSource) {
        this.probe = new JdbcTransactionProbe(Objects.requireNonNull(dataSource, "dataSource"));
    }

    /** Whether Spring has an actual transaction on this thread, on whatever data source; a read-only one counts. */
    @Override
    public boolean isTransactionActive() {
        return TransactionSynchronizationManager.isActualTransactionActive();
    }

    /**
     * The connection of the Spring transaction. It goes back to where it came from when the transaction ends: do not close
     * it.
     *
     * @throws IllegalStateException if this thread has no transaction on the data source, so that what is written would be
     *     committed on its own, the transaction has already committed or rolled back, or transaction synchronization is not active
     */
    @Override
    public Connection currentConnection() {
        requireNotEnded();
        DataSource dataSource = probe.target();
        if (!probe.isCovered()) {
            throw notCovered(dataSource);
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        DataSourceUtils.releaseConnection(connection, dataSource);
        return connection;
    }

    /**
     * Registers what to run after the transaction has committed.
     *
     * @throws IllegalStateException if transaction synchronization is not active, or the transaction has already committed
     */
    @Override
    public void afterCommit(Runnable callback) {
        Objects.requireNonNull(callback, "callback");
        openCallbacks().addOnCommit(callback);
    }

    /**
     * Registers what to run when the transaction was rolled back, wholly or to a savepoint before this call, or when its
     * outcome is unknown because the commit failed.
     *
     * @throws IllegalStateException if transaction synchronization is not active, or the transaction has already committed
     */
    @Override
    public void afterRollback(Runnable callback) {
        Objects.requireNonNull(callback, "callback");
        openCallbacks().addOnRollback(callback);
    }

    /**
     * Registers what to run, before what {@link #afterRollback} registered, when the outcome is unknown because the commit failed.
     *
     * @throws IllegalStateException if transaction synchronization is not active, or the transaction has already committed
     */
    @Override
    public void afterUnknown(Runnable callback) {
        Objects.requireNonNull(callback, "callback");
        openCallbacks().addOnUnknown(callback);
    }

    private static TransactionCallbacks openCallbacks() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException("Transaction synchronization is not active");
        }
        TransactionCallbacks callbacks = TransactionCallbacks.ofThisTransaction();
        requireNotEnded(callbacks);
        return callbacks;
    }

    private void requireNotEnded() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            requireNotEnded(TransactionCallbacks.registered());
        } else if (isTransactionActive() || probe.isCovered()) {
            // Spring ends the synchronization before the transaction when it reports the outcome.
            throw new IllegalStateException(
                    "Transaction synchronization is not active: the transaction has already committed or rolled back, or its"
                            + " transaction manager does not synchronize. An event written now would not be part of it;"
                            + " begin a new one (PROPAGATION_REQUIRES_NEW)");
        }
    }

    private static void requireNotEnded(@Nullable TransactionCallbacks callbacks) {
        if (callbacks != null && callbacks.hasEnded()) {
            throw ended();
        }
    }

    private static IllegalStateException ended() {
        return new IllegalStateException(
                "The transaction has already committed or rolled back: an event written now would not be part of it;"
                        + " begin a new one (PROPAGATION_REQUIRES_NEW)");
    }

    private static IllegalStateException notCovered(DataSource dataSource) {
        return new IllegalStateException("No transaction on the DataSource "
                + dataSource.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(dataSource))
                + ": an event written now would be committed on its own, without the data it is about;"
                + " begin a transaction with a transaction manager of this DataSource,"
                + " and give SpringTxContext the same DataSource as that transaction manager");
    }
}
