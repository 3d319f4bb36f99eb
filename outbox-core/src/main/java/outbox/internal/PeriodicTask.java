package outbox.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
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
    /** Requests for later are rounded up to this, which bounds how many can wait. */
    private static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** What is asked for after that is left to the periodic runs; nanoseconds could not count much further. */
    private static final Duration LONGEST_DELAY = Duration.ofDays(365);

    private final String name;
    private final String threadPrefix;
    private final Supplier<Duration> pause;
    private final Runnable duty;
    private @Nullable ScheduledExecutorService scheduler;
    private final AtomicBoolean requested = new AtomicBoolean();
    private final Set<Long> requestedLater = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private volatile @Nullable Thread runner;

    /** Describes a task with the same pause after each run; nothing runs before {@link #start()}. */
    public PeriodicTask(String name, String threadPrefix, Duration pause, Runnable duty) {
        this(name, threadPrefix, () -> pause, duty);
    }

    /** Describes a task that is asked after each run how long to pause; nothing runs before {@link #start()}. */
    public PeriodicTask(String name, String threadPrefix, Supplier<Duration> pause, Runnable duty) {
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
            ScheduledThreadPoolExecutor thread =
                    new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory(threadPrefix));
            // Otherwise the close would wait for a run that was asked for in an hour.
            thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            scheduler = thread;
            submit(this::runPeriodically, Duration.ZERO);
        }
    }

    /** Runs the duty as soon as possible: at once, or when a run that is under way has ended. Requests that wait share one run. */
    public void runSoon() {
        if (requested.compareAndSet(false, true) && !submit(this::runRequested, Duration.ZERO)) {
            requested.set(false);
        }
    }

    /** Runs the duty as soon as possible after the delay. Requests for about the same time share one run. */
    public void runAfter(Duration delay) {
        if (delay.compareTo(LONGEST_DELAY) > 0) {
            return;
        }
        long due = (System.nanoTime() + delay.toNanos()) / GRAIN_NANOS + 1;
        if (requestedLater.add(due)) {
            Duration wait = Duration.ofNanos(Math.max(0, due * GRAIN_NANOS - System.nanoTime()));
            if (!submit(() -> runRequestedLater(due), wait)) {
                requestedLater.remove(due);
            }
        }
    }

    private void runPeriodically() {
        runOnce();
        submit(this::runPeriodically, pause.get());
    }

    private void runRequestedLater(long due) {
        requestedLater.remove(due);
        runOnce();
    }

    private void runRequested() {
        requested.set(false);
        runOnce();
    }

    private synchronized boolean submit(Runnable run, Duration delay) {
        if (scheduler == null || closed) {
            return false;
        }
        Future<?> unused = scheduler.schedule(run, delay.toNanos(), TimeUnit.NANOSECONDS);
        return true;
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

    /** A duty that threw must not end the runs. */
    private void runOnce() {
        runner = Thread.currentThread();
        try {
            duty.run();
        } catch (Throwable e) {
            LOG.log(Level.ERROR, name + " failed; it goes on with the next run", LoggedError.of(e));
        }
    }
}
