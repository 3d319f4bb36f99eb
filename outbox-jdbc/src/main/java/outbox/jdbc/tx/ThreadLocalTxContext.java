package outbox.jdbc.tx;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.spi.TxContext;

/** The transaction that {@link JdbcTransactionManager} began on the current thread. */
public final class ThreadLocalTxContext implements TxContext {

    private static final class Transaction {
        private final Connection connection;
        private final List<Runnable> afterCommit = new ArrayList<>();
        private final List<Runnable> afterRollback = new ArrayList<>();
        private final List<Runnable> afterUnknown = new ArrayList<>();

        private Transaction(Connection connection) {
            this.connection = connection;
        }
    }

    /** Not static: an application with two databases has two contexts, each with its own transactions. */
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<@Nullable Transaction> current = new ThreadLocal<>();

    /** Creates a context without any transaction. */
    public ThreadLocalTxContext() {}

    @Override
    public boolean isTransactionActive() {
        return current.get() != null;
    }

    @Override
    public Connection currentConnection() {
        return required().connection;
    }

    @Override
    public void afterCommit(Runnable callback) {
        required().afterCommit.add(Objects.requireNonNull(callback, "callback"));
    }

    @Override
    public void afterRollback(Runnable callback) {
        required().afterRollback.add(Objects.requireNonNull(callback, "callback"));
    }

    @Override
    public void afterUnknown(Runnable callback) {
        required().afterUnknown.add(Objects.requireNonNull(callback, "callback"));
    }

    void requireInactive() {
        if (isTransactionActive()) {
            throw new IllegalStateException(
                    "A transaction is already active on this thread; end it before beginning another");
        }
    }

    void bind(Connection connection) {
        requireInactive();
        current.set(new Transaction(Objects.requireNonNull(connection, "connection")));
    }

    /** Ends the transaction, then runs its commit callbacks: they may begin a new one. */
    void clearAfterCommit() {
        runAll(unbind().afterCommit);
    }

    /** Ends the transaction, then runs its rollback callbacks: they may begin a new one. */
    void clearAfterRollback() {
        runAll(unbind().afterRollback);
    }

    /** Ends the transaction, then runs its callbacks for an unknown outcome and those for a rollback: they may begin a new one. */
    void clearAfterUnknown() {
        Transaction ended = unbind();
        ended.afterUnknown.addAll(ended.afterRollback);
        runAll(ended.afterUnknown);
    }

    private Transaction unbind() {
        Transaction ended = required();
        current.remove();
        return ended;
    }

    private Transaction required() {
        Transaction transaction = current.get();
        if (transaction == null) {
            throw new IllegalStateException(
                    "No active transaction on this thread; begin one with JdbcTransactionManager");
        }
        return transaction;
    }

    /** Runs all, whatever one of them throws; the first problem is thrown at the end and carries the others. */
    private static void runAll(List<Runnable> callbacks) {
        Throwable first = null;
        for (Runnable callback : callbacks) {
            try {
                callback.run();
            } catch (RuntimeException | Error e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof RuntimeException exception) {
            throw exception;
        }
    }
}
