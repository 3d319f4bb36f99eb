package outbox.jdbc.tx;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import outbox.internal.transaction.DatabaseFailure;
import outbox.spi.ConnectionProvider;
import outbox.spi.TransactionStarter;
import outbox.spi.TxContext;

/**
 * Begins transactions by hand and tells a {@link ThreadLocalTxContext} how they end.
 *
 * <pre>{@code
 * try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
 *     // business statements on tx.connection(), events through the writer
 *     tx.commit();
 * }
 * }</pre>
 *
 * <p>Thread-safe; a transaction belongs to the thread that began it. Rolling back to a savepoint of your own is not noticed: an
 * event written after the savepoint would still be dispatched, so do not write events inside one.
 */
public final class JdbcTransactionManager implements TransactionStarter {

    private final ConnectionProvider connectionProvider;
    private final ThreadLocalTxContext txContext;

    /** Begins transactions on connections of the provider. */
    public JdbcTransactionManager(ConnectionProvider connectionProvider, ThreadLocalTxContext txContext) {
        this.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
        this.txContext = Objects.requireNonNull(txContext, "txContext");
    }

    @Override
    public TxContext context() {
        return txContext;
    }

    /**
     * Begins a transaction on this thread.
     *
     * @throws IllegalStateException if one is already active on this thread
     */
    @Override
    public Transaction begin() throws SQLException {
        // Asked before a connection is taken: with a pool of one, waiting for a second would never end.
        txContext.requireInactive();
        Connection connection = connectionProvider.getConnection();
        try {
            boolean autoCommitBefore = connection.getAutoCommit();
            connection.setAutoCommit(false);
            txContext.bind(connection);
            return new Transaction(connection, autoCommitBefore);
        } catch (Throwable e) {
            closeAfter(connection, e);
            throw e;
        }
    }

    private static void closeAfter(Connection connection, Throwable failure) {
        try {
            connection.close();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    private static void runAfter(Throwable failure, Runnable callbacks) {
        try {
            callbacks.run();
        } catch (Throwable e) {
            failure.addSuppressed(e);
        }
    }

    /** A transaction that is under way; closing it without a commit rolls it back. */
    public final class Transaction implements TransactionStarter.Started {

        private final Connection connection;
        private final boolean autoCommitBefore;
        private boolean ended;

        private Transaction(Connection connection, boolean autoCommitBefore) {
            this.connection = connection;
            this.autoCommitBefore = autoCommitBefore;
        }

        /** The connection of this transaction, for the business statements. */
        @Override
        public Connection connection() {
            return connection;
        }

        @Override
        public TxContext context() {
            return txContext;
        }

        /**
         * Commits, gives the connection back, then runs the callbacks, which may begin a transaction of their own. If the commit fails, its outcome
         * is unknown, unless the database says that it has rolled the transaction back: the answer can be lost after the server has committed.
         * Then the callbacks for an unknown outcome run, which look for the events, and those for a rollback. Does nothing if the
         * transaction has ended already, however it ended.
         */
        @Override
        public void commit() throws SQLException {
            if (ended) {
                return;
            }
            try {
                connection.commit();
            } catch (Throwable e) {
                endAfter(e);
                throw e;
            }
            end(txContext::clearAfterCommit);
        }

        /** Rolls back, gives the connection back, then runs the callbacks. Does nothing if the transaction has ended already. */
        public void rollback() throws SQLException {
            if (!ended) {
                rollBack(txContext::clearAfterRollback);
            }
        }

        private void rollBack(Runnable callbacks) throws SQLException {
            try {
                connection.rollback();
            } finally {
                end(callbacks);
            }
        }

        /** Rolls back unless the transaction has ended. */
        @Override
        public void close() throws SQLException {
            rollback();
        }

        private void endAfter(Throwable failedCommit) {
            boolean rolledBack = DatabaseFailure.of(failedCommit) == DatabaseFailure.ROLLED_BACK;
            try {
                rollBack(rolledBack ? txContext::clearAfterRollback : txContext::clearAfterUnknown);
            } catch (SQLException | RuntimeException e) {
                failedCommit.addSuppressed(e);
            }
        }

        /** First the connection goes back: a callback may want one, and this may be the only one of its pool. */
        private void end(Runnable callbacks) throws SQLException {
            ended = true;
            try {
                giveBack();
            } catch (Throwable e) {
                runAfter(e, callbacks);
                throw e;
            }
            callbacks.run();
        }

        private void giveBack() throws SQLException {
            try (Connection closing = connection) {
                closing.setAutoCommit(autoCommitBefore);
            }
        }
    }
}
