package outbox.boot.autoconfigure;

import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.spi.TxContext;
import outbox.spring.SpringTxContext;

/** Spring's transactions, without those in which a write is a mistake. */
final class GuardedTransactions implements TxContext {

    private final SpringTxContext transactions;

    GuardedTransactions(DataSource dataSource) {
        this.transactions = new SpringTxContext(dataSource);
    }

    @Override
    public boolean isTransactionActive() {
        return transactions.isTransactionActive();
    }

    @Override
    public Connection currentConnection() {
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException("The transaction is read-only, so an event would be lost or refused;"
                    + " write it in one without readOnly = true");
        }
        return transactions.currentConnection();
    }

    @Override
    public void afterCommit(Runnable callback) {
        transactions.afterCommit(callback);
    }

    @Override
    public void afterRollback(Runnable callback) {
        transactions.afterRollback(callback);
    }

    @Override
    public void afterUnknown(Runnable callback) {
        transactions.afterUnknown(callback);
    }
}
