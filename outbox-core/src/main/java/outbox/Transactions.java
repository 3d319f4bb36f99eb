package outbox;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.internal.transaction.DatabaseFailure;
import outbox.spi.TransactionStarter;

/** Runs work in transactions of its own, if the outbox has such. */
final class Transactions {

    private final String outbox;
    private final @Nullable TransactionStarter starter;

    Transactions(String outbox, @Nullable TransactionStarter starter) {
        this.outbox = outbox;
        this.starter = starter;
    }

    <T, E extends Exception> T call(TransactionCall<T, E> work) throws E {
        if (starter == null) {
            throw new IllegalStateException("outbox " + outbox + " takes part in transactions that others begin;"
                    + " write in one of those, or build it with JdbcOutbox.builder(dataSource) alone");
        }
        if (starter.context().isTransactionActive()) {
            throw new IllegalStateException("a transaction of outbox " + outbox
                    + " is already active on this thread; transactions are not nested, so do this work in that one");
        }
        TransactionStarter.Started transaction = begin(starter);
        T result;
        try {
            result = work.call(transaction);
        } catch (Throwable e) {
            closeAfter(transaction, e);
            throw e;
        }
        commit(transaction);
        return result;
    }

    private TransactionStarter.Started begin(TransactionStarter with) {
        try {
            return with.begin();
        } catch (SQLException e) {
            throw new OutboxException("Cannot begin a transaction for outbox " + outbox, e);
        }
    }

    private void commit(TransactionStarter.Started transaction) {
        try {
            transaction.commit();
        } catch (SQLException e) {
            throw new OutboxException(
                    DatabaseFailure.of(e) == DatabaseFailure.ROLLED_BACK
                            ? "A transaction of outbox " + outbox
                                    + " was not committed: the database has rolled it back; it can be repeated"
                            : "Cannot tell whether a transaction of outbox " + outbox
                                    + " was committed; its events are looked for in the table, and delivered if it was",
                    e);
        }
    }

    private static void closeAfter(TransactionStarter.Started transaction, Throwable failure) {
        try {
            transaction.close();
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
