package outbox.testsupport;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import outbox.spi.TxContext;

/** A transaction that the test ends by hand. */
public final class StubTransaction implements TxContext {

    private final Connection connection;
    private boolean active = true;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> afterRollback = new ArrayList<>();
    private final List<Runnable> afterUnknown = new ArrayList<>();

    public StubTransaction() throws Exception {
        this.connection = StubConnections.transactional().getConnection();
    }

    public void commit() {
        active = false;
        afterCommit.forEach(Runnable::run);
    }

    public void rollback() {
        active = false;
        afterRollback.forEach(Runnable::run);
    }

    /** The answer to the commit is lost. */
    public void loseAnswer() {
        active = false;
        afterUnknown.forEach(Runnable::run);
        afterRollback.forEach(Runnable::run);
    }

    public int callbacks() {
        return afterCommit.size() + afterRollback.size();
    }

    @Override
    public boolean isTransactionActive() {
        return active;
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
}
