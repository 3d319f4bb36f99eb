package outbox.internal.task;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.util.DaemonThreadFactory;

/**
 * What is left to do when something closes, such as releasing leases. It may call a database that never answers because the network went
 * silent, and a thread that waits for that cannot be interrupted. So it runs on a daemon thread, and the caller waits for a limited time only.
 */
public final class LastWork {

    private static final Logger LOG = SafeLog.of(LastWork.class);
    private static final DaemonThreadFactory THREADS = new DaemonThreadFactory("outbox-close-");

    private final String what;
    private final FutureTask<Void> work;

    private LastWork(String what, Runnable work) {
        this.what = what;
        this.work = new FutureTask<>(work, null);
    }

    /** Starts the work. */
    public static LastWork begin(String what, Runnable work) {
        LastWork begun = new LastWork(what, work);
        THREADS.newThread(begun.work).start();
        return begun;
    }

    /** Does the work and waits for it to end, at most for the given time. Returns whether it has ended. */
    public static boolean within(Duration time, String what, Runnable work) {
        return begin(what, work).await(time);
    }

    /**
     * Waits for the work to end, at most for the given time. Returns whether it has ended; if not, it goes on in the background. What it
     * threw is logged, so that the close can go on.
     */
    public boolean await(Duration time) {
        try {
            work.get(Math.max(0, time.toNanos()), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            LOG.log(Level.WARNING, "{0} takes longer than {1} ms; no longer waiting for it", what, time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            LOG.log(Level.WARNING, what + " failed", LoggedError.of(Objects.requireNonNullElse(e.getCause(), e)));
            return true;
        }
        return false;
    }
}
