package outbox.dispatch;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory the next rows of the table may take each: as much as the largest of those that came lately. A larger one counts at once, and
 * is forgotten slowly. Before anything has come, the worst is assumed. Thread-safe.
 */
final class LargestRecent {

    /** By which part the assumption shrinks with each poll whose rows were all smaller. */
    private static final int SHRINKS_BY = 8;

    private final AtomicLong bytes;

    LargestRecent(long assumed) {
        this.bytes = new AtomicLong(assumed);
    }

    long bytes() {
        return bytes.get();
    }

    /** Says how large the largest row of a poll was. */
    void found(long largest) {
        bytes.updateAndGet(before -> Math.max(largest, before - before / SHRINKS_BY));
    }
}
