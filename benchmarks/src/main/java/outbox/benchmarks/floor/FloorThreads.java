package outbox.benchmarks.floor;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import outbox.benchmarks.candidate.ThreadEnd;
import outbox.benchmarks.report.Progress;

/** Threads that work until they are told to end; never by an interrupt, which would close H2's files. */
final class FloorThreads implements AutoCloseable {

    /** Work that looks at {@link #isRunning()} from time to time. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private volatile boolean running = true;

    void start(String name, Work work) {
        Thread thread = new Thread(() -> run(name, work), name);
        threads.add(thread);
        thread.start();
    }

    boolean isRunning() {
        return running;
    }

    private static void run(String name, Work work) {
        try {
            work.run();
        } catch (Exception e) {
            Progress.problem(name + " failed", e);
        }
    }

    @Override
    public void close() {
        running = false;
        threads.forEach(ThreadEnd::await);
    }
}
