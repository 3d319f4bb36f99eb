package outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.TxContext;

/**
 * Transactions without a database, one per thread, for use with {@link InMemoryOutboxStore}. Its connections can commit, roll back and
 * close; they run no SQL.
 *
 * <pre>{@code
 * InMemoryTransactions transactions = new InMemoryTransactions();
 * InMemoryOutboxStore store = new InMemoryOutboxStore();
 * OutboxWriter writer = new OutboxWriter(transactions, store);
 * transactions.run(() -> writer.write("OrderPlaced", "{}"));
 * }</pre>
 */
public final class InMemoryTransactions implements TxContext, ConnectionProvider {

    private static final class Transaction {
        private final Connection connection = InMemoryConnection.open(false);
        private final List<Runnable> afterCommit = new ArrayList<>();
        private final List<Runnable> afterRollback = new ArrayList<>();
    }

    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<@Nullable Transaction> current = new ThreadLocal<>();

    /** Creates a context without any transaction. */
    public InMemoryTransactions() {}

    /** Runs the work in a transaction, which commits if it returns and rolls back if it throws. */
    public <T> T call(Callable<T> work) throws Exception {
        begin();
        T result;
        try {
            result = work.call();
        } catch (Throwable e) {
            rollback();
            throw e;
        }
        commit();
        return result;
    }

    /** Runs the work in a transaction, which commits if it returns and rolls back if it throws. */
    public void run(Runnable work) {
        try {
            call(() -> {
                work.run();
                return true;
            });
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Begins a transaction on this thread. */
    public void begin() {
        if (isTransactionActive()) {
            throw new IllegalStateException("A transaction is already active on this thread");
        }
        current.set(new Transaction());
    }

    /** Commits the transaction of this thread, then runs its callbacks. */
    public void commit() {
        Transaction ending = end();
        InMemoryConnection.commit(ending.connection);
        ending.afterCommit.forEach(Runnable::run);
    }

    /** Rolls the transaction of this thread back, then runs its callbacks. */
    public void rollback() {
        Transaction ending = end();
        InMemoryConnection.rollback(ending.connection);
        ending.afterRollback.forEach(Runnable::run);
    }

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
        required().afterCommit.add(callback);
    }

    @Override
    public void afterRollback(Runnable callback) {
        required().afterRollback.add(callback);
    }

    /** A connection of its own in autocommit mode. */
    @Override
    public Connection getConnection() throws SQLException {
        return InMemoryConnection.open(true);
    }

    private Transaction end() {
        Transaction ending = required();
        current.remove();
        return ending;
    }

    private Transaction required() {
        Transaction transaction = current.get();
        if (transaction == null) {
            throw new IllegalStateException("No active transaction on this thread");
        }
        return transaction;
    }
}
