package outbox.inbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Failures;
import outbox.spi.ConnectionProvider;
import outbox.spi.TxContext;

/** Runs statements in the current thread's transaction, or in one of their own. */
final class InboxConnections {

    private final ConnectionProvider connections;
    private final TxContext context;
    private final TableName table;

    InboxConnections(ConnectionProvider connections, TxContext context, TableName table) {
        this.connections = connections;
        this.context = context;
        this.table = table;
    }

    /** In the transaction of this thread; without one, durable when this returns. */
    <T> T joined(String what, ShortTransaction.Work<T> work) {
        return context.isTransactionActive() ? inTransaction(what, work) : alone(what, work);
    }

    /** In the transaction of this thread, which must have one. */
    <T> T inTransaction(String what, ShortTransaction.Work<T> work) {
        Connection conn = context.currentConnection();
        return run(what, () -> work.on(conn));
    }

    /** On a connection of its own, and durable when this returns. */
    <T> T alone(String what, ShortTransaction.Work<T> work) {
        return run(what, () -> ShortTransaction.run(connections, work));
    }

    /** Whether a failure ended only its own statement, or a transaction that was begun here. */
    boolean canGoOnAfterFailure(Failures failures) {
        return !failures.endsTransaction() || !context.isTransactionActive();
    }

    private <T> T run(String what, SqlCall<T> call) {
        try {
            return call.run();
        } catch (SQLException e) {
            throw OutboxStoreException.of(what, table, e);
        }
    }

    @FunctionalInterface
    private interface SqlCall<T> {
        T run() throws SQLException;
    }
}
