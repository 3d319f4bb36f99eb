package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.ThreadNames;
import outbox.util.DaemonThreadFactory;

/**
 * The workers and the thread that records their outcomes, and how they end: first the workers, which empty the queues, then the
 * recorder, which empties the buffer. Each wait is bounded; who does not end in time is interrupted.
 */
final class DispatcherThreads {

    /** How long interrupted threads get to end, so that they are not surprised by a connection pool that closes next. */
    private static final long LAST_CHANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

    private final ExecutorService workers;
    private final ExecutorService recorder;
    private final long drainTimeoutMs;
    private final CountDownLatch forcedStop = new CountDownLatch(1);

    DispatcherThreads(@Nullable String table, int workerCount, long drainTimeoutMs) {
        this.workers = Executors.newFixedThreadPool(workerCount, factory("dispatcher", table));
        this.recorder = Executors.newFixedThreadPool(1, factory("completer", table));
        this.drainTimeoutMs = drainTimeoutMs;
    }

    private static DaemonThreadFactory factory(String duty, @Nullable String table) {
        return new DaemonThreadFactory(ThreadNames.prefix(duty, table));
    }

    void startWorker(Runnable worker) {
        workers.execute(worker);
    }

    void startRecorder(Runnable completer) {
        recorder.execute(completer);
    }

    /** Open until the time to end in peace is over. */
    CountDownLatch forcedStop() {
        return forcedStop;
    }

    /** Waits for the given time; false if the time to end in peace is over. */
    boolean pauseUnlessForced(Duration time) {
        try {
            return !forcedStop.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return forcedStop.getCount() != 0;
        }
    }

    /**
     * Ends all threads; the queues must be closed already.
     *
     * @param discardQueued gives up what is still queued when the workers did not end in time, and returns how much that was
     * @param closeBuffer tells the recorder that nothing more will come
     */
    void stop(IntSupplier discardQueued, Runnable closeBuffer) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(drainTimeoutMs);
        workers.shutdown();
        recorder.shutdown();
        try {
            if (!workers.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                forceWorkers(discardQueued);
                workers.awaitTermination(LAST_CHANCE_NANOS, TimeUnit.NANOSECONDS);
            }
            closeBuffer.run();
            stopRecorder(deadline);
        } catch (InterruptedException e) {
            forceWorkers(discardQueued);
            closeBuffer.run();
            recorder.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private void forceWorkers(IntSupplier discardQueued) {
        forcedStop.countDown();
        workers.shutdownNow();
        LOG.log(
                Level.WARNING,
                "Dispatcher did not drain within {0} ms: listeners interrupted, {1} queued event(s) stay pending",
                drainTimeoutMs,
                discardQueued.getAsInt());
    }

    /** What was delivered must be recorded, also when the time is up: then the database gets one more chance. */
    private void stopRecorder(long deadline) throws InterruptedException {
        long left = Math.max(deadline - System.nanoTime(), LAST_CHANCE_NANOS);
        if (!recorder.awaitTermination(left, TimeUnit.NANOSECONDS)) {
            forcedStop.countDown();
            recorder.shutdownNow();
            LOG.log(Level.WARNING, "Outcomes could not be recorded in time; their events will be delivered again");
            recorder.awaitTermination(LAST_CHANCE_NANOS, TimeUnit.NANOSECONDS);
        }
    }
}
