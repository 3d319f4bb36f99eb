package outbox.internal.task;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.util.DaemonThreadFactory;

/**
 * Runs one duty again and again on one daemon thread, first at once and then with a pause between two runs. Starting twice is
 * harmless, stopping is allowed before the start and twice, and stopping returns when a run that was under way has ended
 * (or, if that takes too long, has been interrupted).
 *
 * <p>The thread itself decides when the next run is due: no task has to be handed to a scheduler, where a failure would end the runs.
 */
public final class PeriodicTask implements AutoCloseable {

    /** How long {@link #close()} waits for a run that is under way. */
    public static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    private static final Logger LOG = SafeLog.of(PeriodicTask.class);
    /** Requests for later runs are rounded up to this, which bounds how many can wait. */
    private static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Later requests are left to the periodic runs; nanoseconds cannot count much further. */
    private static final Duration LONGEST_DELAY = Duration.ofDays(365);
    /** Used if asking for the pause fails. */
    private static final Duration FALLBACK_PAUSE = Duration.ofSeconds(1);

    private final String name;
    private final String threadPrefix;
    private final Supplier<Duration> pause;
    private final Runnable duty;
    /** Made beforehand: there may be no memory for it when it is needed. */
    private final String failed;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Times since {@link #origin}, in grains; guarded by the lock, like everything below. */
    private final NavigableSet<Long> requestedLater = new TreeSet<>();

    private final long origin = System.nanoTime();
    private boolean requested;
    private long nextPeriodic;
    private volatile boolean closed;
    private volatile @Nullable LoopThread thread;

    /** Describes a task with the same pause after each run; nothing runs before {@link #start()}. */
    public PeriodicTask(String name, String threadPrefix, Duration pause, Runnable duty) {
        this(name, threadPrefix, () -> pause, duty);
    }

    /**
     * Describes a task that is asked after each periodic run how long to pause, and not after runs that somebody has asked for; nothing runs before
     * {@link #start()}.
     */
    public PeriodicTask(String name, String threadPrefix, Supplier<Duration> pause, Runnable duty) {
        this.name = name;
        this.threadPrefix = threadPrefix;
        this.pause = pause;
        this.duty = duty;
        this.failed = name + " failed; the next run will try again";
    }

    /**
     * Starts the runs.
     *
     * @throws IllegalStateException after {@link #close()}
     */
    public void start() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException(name + " has been closed");
            }
            if (thread == null) {
                nextPeriodic = now();
                LoopThread started = new LoopThread(new DaemonThreadFactory(threadPrefix), this::loop);
                started.start();
                thread = started;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Runs the duty as soon as possible: at once, or when a run that is under way has ended. Requests that wait share one run. */
    public void runSoon() {
        lock.lock();
        try {
            if (isRunning()) {
                requested = true;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Runs the duty as soon as possible after the delay. Requests for about the same time share one run. */
    public void runAfter(Duration delay) {
        if (delay.compareTo(LONGEST_DELAY) > 0) {
            return;
        }
        long due = (now() + Math.max(0, delay.toNanos())) / GRAIN_NANOS + 1;
        lock.lock();
        try {
            if (isRunning() && requestedLater.add(due) && requestedLater.first() == due) {
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next periodic run comes no later than this. For a duty that was run on request, and has seen that it is needed again: the pause is
     * asked for after periodic runs only.
     */
    public void runPeriodicallyWithin(Duration delay) {
        lock.lock();
        try {
            nextPeriodic = Math.min(nextPeriodic, now() + delay.toNanos());
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private boolean isRunning() {
        return thread != null && !closed;
    }

    /** Counted from {@link #origin}, so that times can be compared. */
    private long now() {
        return System.nanoTime() - origin;
    }

    private void loop() {
        while (true) {
            boolean periodic = false;
            try {
                Boolean next = awaitNext();
                if (next == null) {
                    return;
                }
                periodic = next;
                // An interrupt left over from the last run is not meant for this one.
                if (Thread.interrupted() && closed) {
                    return;
                }
                duty.run();
            } catch (InterruptedException e) {
                // Left over from the last run, or from a close that does not want to wait.
                LOG.log(Level.DEBUG, "{0} was interrupted while waiting", name);
            } catch (Throwable e) {
                LOG.log(Level.ERROR, failed, LoggedError.of(e));
            }
            if (periodic) {
                pauseBeforeNext();
            }
        }
    }

    /** Waits for the next run. Returns whether it is a periodic one; null if there will be no more runs. */
    private @Nullable Boolean awaitNext() throws InterruptedException {
        lock.lock();
        try {
            while (!closed && !isDue()) {
                changed.awaitNanos(Math.min(nextPeriodic, nextRequested()) - now());
            }
            requested = false;
            requestedLater.headSet(now() / GRAIN_NANOS, true).clear();
            return closed ? null : nextPeriodic <= now();
        } finally {
            lock.unlock();
        }
    }

    private boolean isDue() {
        return requested || Math.min(nextPeriodic, nextRequested()) <= now();
    }

    private long nextRequested() {
        return requestedLater.isEmpty() ? Long.MAX_VALUE : requestedLater.first() * GRAIN_NANOS;
    }

    private void pauseBeforeNext() {
        Duration wait;
        try {
            wait = pause.get();
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot determine the pause before the next run", LoggedError.of(e));
            wait = FALLBACK_PAUSE;
        }
        lock.lock();
        try {
            nextPeriodic = now() + (wait.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : wait).toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** Whether {@link #close()} has been called. */
    public boolean isClosed() {
        return closed;
    }

    /** What keeps the duty from being run, in words; null if nothing does, or if it is not meant to run. */
    public @Nullable String problem() {
        LoopThread running = thread;
        String reason = closed || running == null ? null : running.problem();
        return reason == null ? null : name + ": " + reason;
    }

    @Override
    public void close() {
        close(STOP_TIMEOUT);
    }

    /** As {@link #close()}, but interrupts a run that is still under way after the given time. */
    public void close(Duration timeout) {
        LoopThread stopped = stop();
        if (stopped == null || stopped.isCurrent()) {
            return;
        }
        try {
            if (!stopped.awaitEnd(timeout.toNanos())) {
                LOG.log(Level.WARNING, "{0} did not stop within {1} ms, interrupting it", name, timeout.toMillis());
                stopped.end();
            }
        } catch (InterruptedException e) {
            stopped.end();
            Thread.currentThread().interrupt();
        }
    }

    /** Starts no further run, and does not wait for one that is under way. */
    public void stopSoon() {
        LoopThread unused = stop();
    }

    private @Nullable LoopThread stop() {
        lock.lock();
        try {
            closed = true;
            changed.signal();
            return thread;
        } finally {
            lock.unlock();
        }
    }
}
