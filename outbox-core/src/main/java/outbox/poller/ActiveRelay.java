package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.LoggedError;
import outbox.internal.PeriodicTask;
import outbox.internal.ThreadNames;
import outbox.spi.RelayLock;

/** Knows whether this process is the one that may deliver, and keeps asking. */
final class ActiveRelay implements AutoCloseable {

    /** Bounds the time without an active process, apart from the time that the database takes to notice that one is gone. */
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private static final Logger LOG = System.getLogger(OutboxPoller.class.getName());

    private final RelayLock lock;
    private final Runnable becameActive;
    private final PeriodicTask check;
    private volatile boolean active;
    private boolean closed;

    ActiveRelay(RelayLock lock, @Nullable String table, Runnable becameActive) {
        this.lock = lock;
        this.becameActive = becameActive;
        this.check = new PeriodicTask(
                "Check of the active relay", ThreadNames.prefix("relay", table), INTERVAL, this::checkNow);
    }

    void start() {
        check.start();
    }

    private void checkNow() {
        boolean before = active;
        if (verify() && !before) {
            becameActive.run();
        }
    }

    /** What was known at the last {@link #verify()}. */
    boolean isActive() {
        return active;
    }

    /** Asks the database. One that does not answer means no: another process may be asking it too, and get an answer. */
    synchronized boolean verify() {
        boolean now = false;
        try {
            now = !closed && lock.tryHold();
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    active ? Level.WARNING : Level.DEBUG,
                    "Cannot ask whether this process is the active relay",
                    LoggedError.of(e));
        }
        if (now != active) {
            LOG.log(
                    Level.INFO,
                    now ? "This process is the active relay now" : "This process is no longer the active relay");
        }
        active = now;
        return now;
    }

    @Override
    public void close() {
        check.close();
        synchronized (this) {
            closed = true;
            active = false;
            lock.close();
        }
    }
}
