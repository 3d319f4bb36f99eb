package outbox.benchmarks.candidate;

import org.jspecify.annotations.Nullable;

/** Waits for threads that have been told to end. */
public final class ThreadEnd {

    private ThreadEnd() {}

    /** Returns when the thread has ended, or this one is interrupted; null has ended already. */
    public static void await(@Nullable Thread thread) {
        if (thread == null) {
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
