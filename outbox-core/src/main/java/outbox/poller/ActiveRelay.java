package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.LastWork;
import outbox.internal.LoggedError;
import outbox.internal.PeriodicTask;
import outbox.internal.SafeLog;
import outbox.internal.ThreadNames;
import outbox.spi.RelayLock;

/** Knows whether this process is the one that may deliver, and keeps asking. */
final class ActiveRelay implements AutoCloseable {

    /** Bounds the time without an active process, apart from the time that the database takes to notice that one is gone. */
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private static final Duration LOCK_CLOSES_WITHIN = Duration.ofSeconds(4);

    private static final Logger LOG = SafeLog.of(OutboxPoller.class);

    private final RelayLock lock;
    private final Runnable becameActive;
    private final PeriodicTask check;
    private volatile boolean active;
    private volatile boolean closed;

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

    /** What keeps it from asking, in words; null if nothing does. */
    @Nullable
    String problem() {
        return check.problem();
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
        active = now && !closed;
        return active;
    }

    /** Begins no further check. */
    void stopSoon() {
        check.stopSoon();
    }

    @Override
    public void close() {
        close(PeriodicTask.STOP_TIMEOUT);
    }

    /**
     * As {@link #close()}, with a time after which a check that is under way is not waited for any longer. Without the monitor, which that
     * check may never leave.
     */
    void close(Duration timeout) {
        check.close(timeout);
        closed = true;
        active = false;
        LastWork.within(LOCK_CLOSES_WITHIN, "The close of the relay lock", lock::close);
    }
}
