package outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import outbox.spi.TxContext;

/** The transaction of one connection, which somebody else ends. */
final class JoinedContext implements TxContext {

    private final Connection connection;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> afterRollback = new ArrayList<>();
    private final List<Runnable> afterUnknown = new ArrayList<>();

    JoinedContext(Connection connection) {
        this.connection = connection;
    }

    /** Asked before each write: who has ended the transaction may have gone back to autocommit. */
    @Override
    public boolean isTransactionActive() {
        try {
            return !connection.getAutoCommit();
        } catch (SQLException e) {
            throw new OutboxException("Cannot ask a joined connection for its autocommit mode", e);
        }
    }

    @Override
    public Connection currentConnection() {
        return connection;
    }

    @Override
    public void afterCommit(Runnable callback) {
        afterCommit.add(callback);
    }

    @Override
    public void afterRollback(Runnable callback) {
        afterRollback.add(callback);
    }

    @Override
    public void afterUnknown(Runnable callback) {
        afterUnknown.add(callback);
    }

    void committed() {
        afterCommit.forEach(Runnable::run);
    }

    void rolledBack() {
        afterRollback.forEach(Runnable::run);
    }

    void unknown() {
        afterUnknown.forEach(Runnable::run);
    }
}
