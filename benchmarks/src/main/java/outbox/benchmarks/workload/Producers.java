package outbox.benchmarks.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Participant;

/** Threads that write transactions as fast as they can. They live until they are closed, and each keeps the connection that it has. */
final class Producers implements AutoCloseable {

    /**
     * What was written.
     *
     * @param written events so far, numbered from 0
     * @param timed how many of them were written while the clock ran this time
     * @param begin when the clock was started, by {@link System#nanoTime()}
     * @param end when the last producer had ended
     */
    record Production(int written, int timed, long begin, long end) {

        double rate() {
            return timed / seconds(begin, end);
        }

        static double seconds(long from, long to) {
            return Math.max(1, to - from) / 1e9;
        }
    }

    private final Participant participant;
    private final int threads;
    private final int eventsPerTransaction;
    private final AtomicInteger next = new AtomicInteger();
    private final ExecutorService executor;

    Producers(Participant participant, int threads, int eventsPerTransaction) {
        this.participant = participant;
        this.threads = threads;
        this.eventsPerTransaction = eventsPerTransaction;
        this.executor = Executors.newFixedThreadPool(threads);
    }

    /** Writes for some time. Each thread first writes once without the clock, to have its connection open. */
    Production writeFor(Duration time) throws Exception {
        int before = next.get();
        AtomicLong begin = new AtomicLong();
        CyclicBarrier ready = new CyclicBarrier(threads, () -> begin.set(System.nanoTime()));
        runAll(() -> {
            writeOne();
            ready.await();
            long deadline = begin.get() + time.toNanos();
            while (System.nanoTime() < deadline) {
                writeOne();
            }
            return null;
        });
        long end = System.nanoTime();
        int written = next.get();
        return new Production(written, written - before - threads * eventsPerTransaction, begin.get(), end);
    }

    /** Writes exactly so many events. */
    void write(int events) throws Exception {
        runAll(() -> {
            int first;
            while ((first = next.getAndAdd(eventsPerTransaction)) < events) {
                write(first, Math.min(eventsPerTransaction, events - first));
            }
            return null;
        });
    }

    private void writeOne() throws Exception {
        write(next.getAndAdd(eventsPerTransaction), eventsPerTransaction);
    }

    private void write(int first, int count) throws Exception {
        participant.write(
                IntStream.range(first, first + count).mapToObj(BenchEvent::new).toList());
    }

    private void runAll(Callable<Void> work) throws Exception {
        List<Future<Void>> ends = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            ends.add(executor.submit(work));
        }
        for (Future<Void> end : ends) {
            end.get();
        }
    }

    @Override
    public void close() {
        executor.shutdown();
    }
}
