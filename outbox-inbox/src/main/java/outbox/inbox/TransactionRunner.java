package outbox.inbox;

import java.sql.SQLException;
import java.util.Objects;
import outbox.OutboxException;
import outbox.jdbc.tx.JdbcTransactionManager;

/**
 * Begins and ends the transactions in which handlers run. They must be visible through the template's {@link outbox.spi.TxContext}.
 *
 * <p>With Spring: {@code work -> transactionTemplate.executeWithoutResult(status -> work.run())}.
 */
@FunctionalInterface
public interface TransactionRunner {

    /** Runs the work in a new transaction, which is committed when it returns and rolled back when it throws; then throws the same. */
    void inTransaction(Runnable work);

    /** Transactions of plain JDBC. */
    static TransactionRunner of(JdbcTransactionManager transactions) {
        Objects.requireNonNull(transactions, "transactions");
        return work -> {
            try (JdbcTransactionManager.Transaction transaction = transactions.begin()) {
                work.run();
                transaction.commit();
            } catch (SQLException e) {
                throw new OutboxException(
                        "The consumer's transaction failed: SQLState " + e.getSQLState() + ", error "
                                + e.getErrorCode(),
                        e);
            }
        };
    }
}
