package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;

/** Transactions that are tried again after a deadlock, which MySQL has now and then between claims and marks. */
final class FloorTransactions {

    /** What happens in the transaction. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws SQLException;
    }

    private final Connection connection;

    FloorTransactions(Connection connection) {
        this.connection = connection;
    }

    <T> T run(Work<T> work) throws SQLException {
        while (true) {
            try {
                T result = work.run();
                connection.commit();
                return result;
            } catch (SQLTransactionRollbackException e) {
                connection.rollback();
            }
        }
    }
}
