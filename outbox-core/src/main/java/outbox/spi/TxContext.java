package outbox.spi;

import java.sql.Connection;

/** The business transaction of the current thread, as the writer sees it. */
public interface TxContext {

    /** Whether a transaction is under way on this thread. */
    boolean isTransactionActive();

    /** The very connection that the business code uses in its transaction. */
    Connection currentConnection();

    /** Registers what to run after the transaction has committed, and only then. Needs an active transaction. */
    void afterCommit(Runnable callback);

    /** Registers what to run when the transaction does not commit. Needs an active transaction. */
    void afterRollback(Runnable callback);

    /**
     * Registers what to run when nobody knows whether the transaction was committed, because the answer to the commit was lost. The callbacks for a
     * rollback run then as well, after these. By default does nothing, which is right for a context that cannot tell: then the callbacks
     * for a rollback run alone. Needs an active transaction.
     */
    default void afterUnknown(Runnable callback) {}
}
