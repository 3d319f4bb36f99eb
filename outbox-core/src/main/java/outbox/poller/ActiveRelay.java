package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.task.LastWork;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.spi.RelayLock;

/**
 * Knows whether this process is the one that may deliver, and keeps asking. One that cannot deliver lets go of the lock, and tries for it again
 * when it can.
 */
final class ActiveRelay implements AutoCloseable {

    /** Bounds the time without an active process, apart from the time that the database needs to notice that one is gone. */
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private static final Duration LOCK_CLOSES_WITHIN = Duration.ofSeconds(4);

    private static final Logger LOG = SafeLog.of(OutboxPoller.class);

    private final RelayLock lock;
    private final BooleanSupplier canDeliver;
    private final Runnable becameActive;
    private final PeriodicTask check;
    /** Whether the lock may be ours, also when that was not answered. */
    private boolean mayHold;

    private volatile boolean active;
    private volatile boolean closed;

    /** @param canDeliver whether this process would deliver if it were the active one; asked by more than one thread */
    ActiveRelay(RelayLock lock, @Nullable String table, BooleanSupplier canDeliver, Runnable becameActive) {
        this.lock = lock;
        this.canDeliver = canDeliver;
        this.becameActive = becameActive;
        this.check = new PeriodicTask(
                "Check of the active relay", ThreadNames.prefix("relay", table), INTERVAL, this::checkNow);
    }

    /**
     * The relay of a poller; null if all processes deliver. A process that is no longer the active one may still have events in its queues;
     * only their leases keep others from them.
     */
    static @Nullable ActiveRelay of(
            @Nullable RelayLock lock, @Nullable String table, RowSource source, PollLink link, Runnable becameActive) {
        if (lock == null) {
            return null;
        }
        if (!source.locks()) {
            throw new IllegalArgumentException(
                    "singleActive needs claim locking, which protects events that the last active process is still delivering from the next one;"
                            + " call claimLocking as well");
        }
        ActiveRelay relay = new ActiveRelay(lock, table, link::canWork, becameActive);
        link.deliverOnlyWhile(relay::isActive);
        return relay;
    }

    void start() {
        check.start();
    }

    /** Where the lock keeps a connection of; null if it keeps none. */
    @Nullable
    Object holdsConnectionOf() {
        return lock.holdsConnectionOf();
    }

    private void checkNow() {
        boolean before = active;
        if (verify() && !before) {
            becameActive.run();
        }
    }

    /** What keeps it from checking, in words; null if nothing does. */
    @Nullable
    String problem() {
        return check.problem();
    }

    /** What was known at the last {@link #verify()}. */
    boolean isActive() {
        return active;
    }

    /** Asks the database. No answer means no: another process may be asking too, and get an answer. */
    synchronized boolean verify() {
        boolean able = canDeliver.getAsBoolean();
        boolean now = able && holdsLock();
        if (now != active) {
            LOG.log(
                    Level.INFO,
                    now
                            ? "This process is the active relay now"
                            : "This process is no longer the active relay" + (able ? "" : ": it cannot deliver now"));
        }
        active = now && !closed;
        if (!able) {
            letGo();
        }
        return active;
    }

    private boolean holdsLock() {
        if (closed) {
            return false;
        }
        mayHold = true;
        try {
            return lock.tryHold();
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    active ? Level.WARNING : Level.DEBUG,
                    "Cannot ask whether this process is the active relay",
                    LoggedError.of(e));
            return false;
        }
    }

    /** Others can deliver. What fails here is tried again at the next check. */
    private void letGo() {
        if (mayHold && !closed) {
            try {
                lock.close();
                mayHold = false;
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "Cannot let another process become the active relay yet", LoggedError.of(e));
            }
        }
    }

    /** Starts no further check. */
    void stopSoon() {
        check.stopSoon();
    }

    @Override
    public void close() {
        close(PeriodicTask.STOP_TIMEOUT);
    }

    /**
     * As {@link #close()}, but waits only for the given time for a check that is under way. Does not take the monitor, which such a check
     * may never release.
     */
    void close(Duration timeout) {
        check.close(timeout);
        closed = true;
        active = false;
        LastWork.within(LOCK_CLOSES_WITHIN, "Closing the relay lock", lock::close);
    }
}
