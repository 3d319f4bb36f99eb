package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import outbox.internal.LoopThread;
import outbox.internal.SafeLog;

/**
 * The workers and the thread that records their outcomes, and how they end: first the workers, which empty the queues, then the
 * recorder, which empties the buffer. Each wait is bounded; who does not end in time is interrupted.
 */
final class DispatcherThreads {

    /** How long interrupted threads get to end, so that they are not surprised by a connection pool that closes next. */
    private static final long LAST_CHANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final ThreadFactory workerThreads;
    private final ThreadFactory recorderThreads;
    private final long drainTimeoutMs;
    private final CountDownLatch forcedStop = new CountDownLatch(1);
    private volatile List<LoopThread> workers = List.of();
    private volatile List<LoopThread> recorder = List.of();

    DispatcherThreads(ThreadFactory workerThreads, ThreadFactory recorderThreads, long drainTimeoutMs) {
        this.workerThreads = workerThreads;
        this.recorderThreads = recorderThreads;
        this.drainTimeoutMs = drainTimeoutMs;
    }

    /** Starts a thread for each loop, the recorder first. To be called once. */
    void start(Runnable completer, List<? extends Runnable> loops) {
        LoopThread recording = new LoopThread(recorderThreads, completer);
        recording.start();
        recorder = List.of(recording);
        List<LoopThread> started = new ArrayList<>();
        for (Runnable loop : loops) {
            LoopThread worker = new LoopThread(workerThreads, loop);
            worker.start();
            started.add(worker);
            workers = List.copyOf(started);
        }
    }

    /** Whether events that are taken over now can be delivered and recorded. */
    boolean canWork() {
        return anyRuns(recorder) && anyRuns(workers);
    }

    private static boolean anyRuns(List<LoopThread> threads) {
        for (LoopThread thread : threads) {
            if (thread.runs()) {
                return true;
            }
        }
        return false;
    }

    /** What is wrong with the threads, in words. */
    List<String> problems() {
        return Stream.concat(recorder.stream(), workers.stream())
                .map(LoopThread::problem)
                .filter(Objects::nonNull)
                .toList();
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
        try {
            if (!awaitEnd(workers, deadline - System.nanoTime())) {
                forceWorkers(discardQueued);
                awaitEnd(workers, LAST_CHANCE_NANOS);
            }
            closeBuffer.run();
            stopRecorder(deadline);
        } catch (InterruptedException e) {
            forceWorkers(discardQueued);
            closeBuffer.run();
            end(recorder);
            Thread.currentThread().interrupt();
        }
    }

    private static boolean awaitEnd(List<LoopThread> threads, long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        boolean ended = true;
        for (LoopThread thread : threads) {
            ended &= thread.awaitEnd(deadline - System.nanoTime());
        }
        return ended;
    }

    private static void end(List<LoopThread> threads) {
        threads.forEach(LoopThread::end);
    }

    private void forceWorkers(IntSupplier discardQueued) {
        forcedStop.countDown();
        end(workers);
        LOG.log(
                Level.WARNING,
                "Dispatcher did not drain within {0} ms: listeners interrupted, {1} queued event(s) stay pending",
                drainTimeoutMs,
                discardQueued.getAsInt());
    }

    /** What was delivered must be recorded, also when the time is up: then the database gets one more chance. */
    private void stopRecorder(long deadline) throws InterruptedException {
        long left = Math.max(deadline - System.nanoTime(), LAST_CHANCE_NANOS);
        if (!awaitEnd(recorder, left)) {
            forcedStop.countDown();
            end(recorder);
            LOG.log(Level.WARNING, "Outcomes could not be recorded in time; their events will be delivered again");
            awaitEnd(recorder, LAST_CHANCE_NANOS);
        }
    }
}
