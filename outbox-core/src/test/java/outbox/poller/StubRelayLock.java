package outbox.poller;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import outbox.spi.RelayLock;

/** A lock that the test gives and takes, with a journal of what was asked. */
final class StubRelayLock implements RelayLock {

    private final List<String> journal = new ArrayList<>();
    private boolean free;
    private Exception failure;
    private RuntimeException failureOfClose;
    private CountDownLatch asked = new CountDownLatch(1);

    synchronized StubRelayLock give() {
        free = true;
        failure = null;
        return this;
    }

    synchronized StubRelayLock take() {
        free = false;
        return this;
    }

    synchronized StubRelayLock failWith(Exception e) {
        failure = e;
        return this;
    }

    synchronized void failOnClose(RuntimeException e) {
        failureOfClose = e;
    }

    synchronized List<String> journal() {
        return List.copyOf(journal);
    }

    /** Opened when the lock is asked for the next time. */
    synchronized CountDownLatch nextAsk() {
        asked = new CountDownLatch(1);
        return asked;
    }

    @Override
    public synchronized boolean tryHold() throws SQLException {
        journal.add("tryHold");
        asked.countDown();
        if (failure instanceof SQLException e) {
            throw e;
        }
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        return free;
    }

    @Override
    public synchronized void close() {
        journal.add("close");
        if (failureOfClose != null) {
            throw failureOfClose;
        }
    }
}
