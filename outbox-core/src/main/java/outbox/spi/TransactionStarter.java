package outbox.spi;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
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

        /**
         * Where others who write in this transaction hear of its end, on the thread that began it; null, the default, if nowhere: then they look for
         * their events in the table.
         */
        default @Nullable TxContext context() {
            return null;
        }

        /** Commits. If that fails its outcome may be unknown. */
        void commit() throws SQLException;

        /** Rolls back unless the transaction has ended. */
        @Override
        void close() throws SQLException;
    }
}
