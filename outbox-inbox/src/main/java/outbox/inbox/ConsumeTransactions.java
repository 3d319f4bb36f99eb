package outbox.inbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import outbox.internal.text.SafeLog;
import outbox.spi.TxContext;

/** Runs work in transactions and makes sure that they were committed. */
final class ConsumeTransactions {

    private static final Logger LOG = SafeLog.of(ConsumeTransactions.class);

    private final TxContext context;
    private final TransactionRunner runner;

    ConsumeTransactions(TxContext context, TransactionRunner runner) {
        this.context = context;
        this.runner = runner;
    }

    /** Within a caller's transaction the record of a failure could not be written: the caller's own lock on the row would block it. */
    void requireNone() {
        if (context.isTransactionActive()) {
            throw new IllegalStateException("A transaction is active on this thread; consume events outside of one:"
                    + " the template begins its own, and records failures outside of that");
        }
    }

    /**
     * Returns once the work is committed. A transaction that was marked for rollback may end without an exception, and one whose callbacks
     * throw after the commit ends with one; so only the callbacks tell whether it was committed.
     *
     * @param consumed names what is consumed, for messages
     */
    void run(Object consumed, Runnable work) {
        AtomicBoolean committed = new AtomicBoolean();
        try {
            runner.inTransaction(() -> {
                context.afterCommit(() -> committed.set(true));
                work.run();
            });
        } catch (RuntimeException | Error e) {
            if (!committed.get()) {
                throw e;
            }
            LOG.log(Level.WARNING, "A callback failed after the consumer's work on " + consumed + " was committed", e);
        }
        if (!committed.get()) {
            throw new EventConsumeFailedException(
                    "The consumer's transaction for " + consumed + " was rolled back although its handler returned",
                    null);
        }
    }
}
