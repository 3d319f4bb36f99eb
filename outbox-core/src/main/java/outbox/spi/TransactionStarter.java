package outbox.spi;

import java.sql.SQLException;
import outbox.OutboxTransaction;

/** Begins transactions for an outbox that has its own, so that its users need no others. Must be thread-safe. */
public interface TransactionStarter {

    /** Where the outbox finds the transaction that was begun on the current thread. */
    TxContext context();

    /**
     * Begins a transaction on the current thread.
     *
     * @throws IllegalStateException if one is already active on this thread
     */
    Started begin() throws SQLException;

    /** A transaction that was begun. */
    interface Started extends OutboxTransaction, AutoCloseable {

        /** Commits. If that fails its outcome may be unknown. */
        void commit() throws SQLException;

        /** Rolls back unless the transaction has ended. */
        @Override
        void close() throws SQLException;
    }
}
