package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.internal.task.LoopThread;
import outbox.internal.text.SafeLog;
import outbox.spi.MetricsExporter;

/**
 * The workers and the thread that records their outcomes, and how they end: first the workers, which empty the queues, then the
 * recorder, which empties the buffer. Each wait is bounded; who does not end in time is interrupted.
 */
final class DispatcherThreads implements DeliveryRun.Shift {

    /** How long interrupted threads get to end, so that they are not surprised by a connection pool that closes next. */
    private static final long LAST_CHANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** How long all workers may be in one delivery each, at least, before what waits is better off elsewhere. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final ThreadFactory workerThreads;
    private final ThreadFactory recorderThreads;
    private final long drainTimeoutMs;
    private final LongSupplier nanoTime;
    private final MetricsExporter metrics;
    private final AtomicInteger inListeners = new AtomicInteger();
    private final RunningDeliveries running;
    private final CountDownLatch forcedStop = new CountDownLatch(1);
    private final Set<Thread> replaced = ConcurrentHashMap.newKeySet();
    private volatile List<LoopThread> workers = List.of();
    private volatile List<LoopThread> lost = List.of();
    private volatile Runnable workersLoop = () -> {};
    private volatile List<LoopThread> recorder = List.of();

    /** When a worker last began a delivery or came back from one. */
    private volatile long lastMove;

    /** The last move before which nobody had come back for too long. */
    private final AtomicReference<@Nullable Long> stuckSince = new AtomicReference<>();

    private volatile IntSupplier waiting = () -> 0;

    /** Null as long as there are no leases: then there is nobody else who could deliver what waits. */
    private volatile @Nullable Duration patience;

    DispatcherThreads(
            ThreadFactory workerThreads,
            ThreadFactory recorderThreads,
            long drainTimeoutMs,
            LongSupplier nanoTime,
            MetricsExporter metrics) {
        this.workerThreads = workerThreads;
        this.recorderThreads = recorderThreads;
        this.drainTimeoutMs = drainTimeoutMs;
        this.nanoTime = nanoTime;
        this.metrics = metrics;
        this.running = new RunningDeliveries(nanoTime);
    }

    /** Starts the recorder, and so many workers. To be called once. */
    void start(Runnable completer, Runnable loop, int workerCount) {
        LoopThread recording = new LoopThread(recorderThreads, completer);
        recording.start();
        recorder = List.of(recording);
        workersLoop = loop;
        for (int i = 0; i < workerCount; i++) {
            addWorker();
        }
    }

    private synchronized void addWorker() {
        LoopThread worker = new LoopThread(workerThreads, workersLoop);
        worker.start();
        List<LoopThread> more = new ArrayList<>(workers);
        more.add(worker);
        workers = List.copyOf(more);
    }

    /** The worker ends when its listener comes back, if ever. */
    @Override
    public synchronized void isLost(Thread thread) {
        inListeners.decrementAndGet();
        lastMove = nanoTime.getAsLong();
        List<LoopThread> others = new ArrayList<>(workers);
        List<LoopThread> gone = new ArrayList<>(lost);
        for (LoopThread worker : workers) {
            if (worker.isOn(thread)) {
                replaced.add(thread);
                others.remove(worker);
                gone.add(worker);
            }
        }
        gone.removeIf(worker -> !worker.isAlive());
        lost = List.copyOf(gone);
        workers = List.copyOf(others);
        if (replaced.contains(thread) && !isForcedToStop()) {
            addWorker();
        }
    }

    @Override
    public boolean isReplaced() {
        return !replaced.isEmpty() && replaced.remove(Thread.currentThread());
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
        List<String> problems = new ArrayList<>();
        Stream.concat(recorder.stream(), workers.stream())
                .map(LoopThread::problem)
                .filter(Objects::nonNull)
                .forEach(problems::add);
        if (isKnownToBeStuck()) {
            problems.add("none of " + workers.size() + " workers has come back from its listener for "
                    + secondsSince(lastMove) + " s");
        }
        return problems;
    }

    /** How many deliveries have been running for longer than can be expected. */
    int stuckDeliveries() {
        Duration limit = patience;
        return running.longerThan(limit == null ? PATIENCE : limit);
    }

    @Override
    public boolean isForcedToStop() {
        return forcedStop.getCount() == 0;
    }

    @Override
    public void begins() {
        lastMove = running.begins();
        inListeners.incrementAndGet();
    }

    @Override
    public void ends() {
        running.ends();
        inListeners.decrementAndGet();
        lastMove = nanoTime.getAsLong();
        if (stuckSince.get() != null && stuckSince.getAndSet(null) != null) {
            metrics.recordStuckWorkers(0);
            LOG.log(Level.INFO, "A worker has come back from its listener; events are taken over again");
        }
    }

    /**
     * Says how long leases last: from now on others can deliver what waits here.
     *
     * @param waitingEvents how many that are
     */
    void leasesLast(Duration timeout, IntSupplier waitingEvents) {
        Duration half = timeout.dividedBy(2);
        waiting = waitingEvents;
        patience = half.compareTo(PATIENCE) < 0 ? PATIENCE : half;
    }

    /** Whether events that are taken over now can be delivered before long. */
    boolean canTakeMore() {
        return canWork() && !areStuck();
    }

    /**
     * Whether nobody comes back: all workers have been in one delivery each for longer than can be expected, while events wait. Stays so until
     * one of them comes back.
     */
    private boolean areStuck() {
        Duration limit = patience;
        if (limit == null || workers.isEmpty() || inListeners.get() < workers.size()) {
            return false;
        }
        long since = lastMove;
        if (nanoTime.getAsLong() - since <= limit.toNanos()) {
            return false;
        }
        return isKnownToBeStuck() || noteStuck(since, waiting.getAsInt());
    }

    private boolean isKnownToBeStuck() {
        Long since = stuckSince.get();
        return since != null && since == lastMove && inListeners.get() == workers.size();
    }

    private synchronized boolean noteStuck(long since, int count) {
        if (count == 0 || isKnownToBeStuck()) {
            return count > 0;
        }
        stuckSince.set(since);
        metrics.recordStuckWorkers(workers.size());
        LOG.log(
                Level.WARNING,
                "None of " + workers.size() + " workers has come back from its listener for " + secondsSince(since)
                        + " s; " + count
                        + " event(s) that wait for them are left to other processes. One of them is at "
                        + workers.get(0).whereItIs());
        return true;
    }

    private long secondsSince(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - nanos);
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
     * @param elsewhere what runs although no worker waits for it
     * @param closeBuffer tells the recorder that nothing more will come
     */
    void stop(IntSupplier discardQueued, Elsewhere elsewhere, Runnable closeBuffer) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(drainTimeoutMs);
        try {
            if (!awaitEnd(workers, deadline - System.nanoTime())
                    || !elsewhere.awaitNone(deadline - System.nanoTime())) {
                forceWorkers(discardQueued);
                awaitEnd(workers, LAST_CHANCE_NANOS);
                elsewhere.awaitNone(LAST_CHANCE_NANOS);
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
        end(lost);
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
