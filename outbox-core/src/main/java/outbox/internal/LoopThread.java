package outbox.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread for a loop that returns only when it is done. Should the loop end by an error all the same, it is begun again after a pause, on the
 * same thread: a new one might not be had. As long as it does not run, {@link #problem()} says so. Thread-safe.
 */
public final class LoopThread {

    private static final Logger LOG = SafeLog.of(LoopThread.class);
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 10_000;
    /** A loop that has run for so long was not broken from the beginning. */
    private static final long SOUND_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Runnable loop;
    private final Thread thread;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private volatile boolean returned;
    private volatile @Nullable Throwable failure;

    /** Makes the thread; nothing runs before {@link #start()}. */
    public LoopThread(ThreadFactory threads, Runnable loop) {
        this.loop = loop;
        this.thread = threads.newThread(this::run);
    }

    /** To be called once. Throws what the start of a thread throws, for example if there can be no more threads. */
    public void start() {
        thread.start();
    }

    private void run() {
        long pause = FIRST_PAUSE_MS;
        while (!returned) {
            long begun = System.nanoTime();
            try {
                failure = null;
                loop.run();
                returned = true;
            } catch (Throwable e) {
                failure = e;
                LOG.log(Level.ERROR, "A loop has ended that must not end; it is begun again", LoggedError.of(e));
                pause = System.nanoTime() - begun > SOUND_NANOS ? FIRST_PAUSE_MS : pause;
                returned = !mayBeginAgainAfter(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
            }
        }
    }

    private boolean mayBeginAgainAfter(long pauseMs) {
        try {
            return !stopping.await(pauseMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return stopping.getCount() != 0;
        }
    }

    /** Whether the loop runs, or is not meant to any more. */
    public boolean runs() {
        return returned || stopping.getCount() == 0 || (failure == null && thread.isAlive());
    }

    /** What keeps the loop from running, in words; null if it runs, or is not meant to any more. */
    public @Nullable String problem() {
        if (runs()) {
            return null;
        }
        Throwable reason = failure;
        String what = reason == null
                ? " does not run"
                : " has failed by " + reason.getClass().getName() + " and begins again soon";
        return "Thread " + thread.getName() + what;
    }

    /** Whether this is the current thread. */
    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Interrupts whatever the loop is doing, and does not begin it again. */
    public void end() {
        stopping.countDown();
        thread.interrupt();
    }

    /** Waits for the end of the thread; false if it has not come in time. */
    public boolean awaitEnd(long nanos) throws InterruptedException {
        if (thread.isAlive() && nanos > 0) {
            TimeUnit.NANOSECONDS.timedJoin(thread, nanos);
        }
        return !thread.isAlive();
    }
}
