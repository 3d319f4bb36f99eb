package outbox.dispatch;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads of one listener, made when they are needed and ended when they have had nothing to do for a while. How many there are is limited by
 * who uses them.
 */
final class OwnThreads implements AutoCloseable {

    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads;

    OwnThreads(ThreadFactory factory) {
        threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), factory);
    }

    /**
     * Runs something.
     *
     * @throws RejectedExecutionException if this is closed
     */
    void execute(Runnable what) {
        threads.execute(what);
    }

    /** Interrupts what still runs. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
