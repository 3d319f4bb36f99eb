package outbox.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.util.DaemonThreadFactory;

/**
 * Runs one duty again and again on one daemon thread, first at once and then with a pause between two runs. Starting twice is
 * harmless, stopping is allowed before the start and twice, and stopping returns when a run that was under way has ended
 * (or, if that takes too long, has been interrupted).
 */
public final class PeriodicTask implements AutoCloseable {

    private static final Logger LOG = System.getLogger(PeriodicTask.class.getName());
    private static final long STOP_TIMEOUT_MS = 5_000;

    private final String name;
    private final String threadPrefix;
    private final Duration pause;
    private final Runnable duty;
    private @Nullable ScheduledExecutorService scheduler;
    private volatile boolean closed;
    private volatile @Nullable Thread runner;

    /** Describes the task; nothing runs before {@link #start()}. */
    public PeriodicTask(String name, String threadPrefix, Duration pause, Runnable duty) {
        this.name = name;
        this.threadPrefix = threadPrefix;
        this.pause = pause;
        this.duty = duty;
    }

    /**
     * Starts the runs.
     *
     * @throws IllegalStateException after {@link #close()}
     */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException(name + " has been closed");
        }
        if (scheduler == null) {
            scheduler = Executors.newSingleThreadScheduledExecutor(new DaemonThreadFactory(threadPrefix));
            Future<?> unused =
                    scheduler.scheduleWithFixedDelay(this::runOnce, 0, pause.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Whether {@link #close()} has been called. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        ScheduledExecutorService stopped = stop();
        if (stopped == null || Thread.currentThread() == runner) {
            return;
        }
        try {
            if (!stopped.awaitTermination(STOP_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                LOG.log(Level.WARNING, "{0} did not stop within {1} ms, interrupting it", name, STOP_TIMEOUT_MS);
                stopped.shutdownNow();
            }
        } catch (InterruptedException e) {
            stopped.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable ScheduledExecutorService stop() {
        closed = true;
        if (scheduler != null) {
            scheduler.shutdown();
        }
        return scheduler;
    }

    /** A duty that threw would never be run again by the scheduler. */
    private void runOnce() {
        runner = Thread.currentThread();
        try {
            duty.run();
        } catch (Throwable e) {
            LOG.log(Level.ERROR, name + " failed; it goes on with the next run", e);
        }
    }
}
