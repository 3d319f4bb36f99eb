package outbox.internal.task;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;

/**
 * A thread for a loop that returns only when it is done. If the loop fails with an error, it is restarted after a pause, on the same
 * thread, because there may be no new one to get. While it is not running, {@link #problem()} says so. Thread-safe.
 */
public final class LoopThread {

    private static final Logger LOG = SafeLog.of(LoopThread.class);
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 10_000;
    /** A loop that has run for this long was not broken from the beginning. */
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

    /** To be called once. Throws what {@link Thread#start()} throws, for example if there can be no more threads. */
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
                LOG.log(Level.ERROR, "A loop that must not end has failed; it will be restarted", LoggedError.of(e));
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

    /** Whether the loop is running, or is no longer meant to. */
    public boolean runs() {
        return returned || stopping.getCount() == 0 || (failure == null && thread.isAlive());
    }

    /** What keeps the loop from running, in words; null if it is running, or is no longer meant to. */
    public @Nullable String problem() {
        if (runs()) {
            return null;
        }
        Throwable reason = failure;
        String what = reason == null
                ? " does not run"
                : " has failed with " + reason.getClass().getName() + " and will be restarted soon";
        return "Thread " + thread.getName() + what;
    }

    /** The name of the thread and what it is doing, as the lines of a stack trace. */
    public String whereItIs() {
        StringBuilder lines = new StringBuilder(thread.getName());
        for (StackTraceElement frame : thread.getStackTrace()) {
            lines.append("\n\tat ").append(frame);
        }
        return lines.toString();
    }

    /** Whether this is the current thread. */
    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Whether the loop runs on that thread. */
    public boolean isOn(Thread other) {
        return other == thread;
    }

    /** Whether the thread has not ended. */
    public boolean isAlive() {
        return thread.isAlive();
    }

    /** Interrupts whatever the loop is doing, and does not restart it. */
    public void end() {
        stopping.countDown();
        thread.interrupt();
    }

    /** Waits for the thread to end; false if it has not ended in time. */
    public boolean awaitEnd(long nanos) throws InterruptedException {
        if (thread.isAlive() && nanos > 0) {
            TimeUnit.NANOSECONDS.timedJoin(thread, nanos);
        }
        return !thread.isAlive();
    }
}
