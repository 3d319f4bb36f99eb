package outbox.internal.lease;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.spi.LeaseStore.Begun;

/** Rows that this process has leased and will not deliver: they wait to be released. Thread-safe. */
public final class GivenBack {

    /**
     * A row to be released.
     *
     * @param writtenDown what was written down of its delivery, which did not take place; or null
     */
    record Row(String eventId, @Nullable Begun writtenDown) {}

    private final Queue<Row> rows = new ConcurrentLinkedQueue<>();

    private static final int MOST_CLAIMS = 1 << 16;

    /** Of one owner nothing is claimed while something is released: what was claimed again must not be released. */
    private final Semaphore claimsOrRelease = new Semaphore(MOST_CLAIMS);

    private volatile @Nullable Runnable releaseAtOnce;

    void add(Row row) {
        rows.add(row);
        releaseIfClosed();
    }

    private void releaseIfClosed() {
        Runnable now = releaseAtOnce;
        if (now != null && !rows.isEmpty()) {
            now.run(); // nobody else will do it any more
        }
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Takes out all rows but those that are in use again. */
    List<Row> take(Predicate<String> inUse) {
        List<Row> all = new ArrayList<>();
        for (Row row = rows.poll(); row != null; row = rows.poll()) {
            if (!inUse.test(row.eventId)) {
                all.add(row);
            }
        }
        return all;
    }

    /** Says that these could not be released yet. */
    void putBack(Collection<Row> notReleased) {
        rows.addAll(notReleased);
    }

    /** A claim is about to read the table; to be followed by {@link #claimEnded()}, whoever says it. */
    public void claimBegins() {
        claimsOrRelease.acquireUninterruptibly();
    }

    /** What was claimed is in the book. */
    public void claimEnded() {
        claimsOrRelease.release();
        releaseIfClosed();
    }

    /** Does work that releases rows, unless a claim is under way; then there is another time for it. */
    void release(Runnable work) {
        if (claimsOrRelease.tryAcquire(MOST_CLAIMS)) {
            try {
                work.run();
            } finally {
                claimsOrRelease.release(MOST_CLAIMS);
            }
        }
    }

    /** From now on rows are released as soon as they come. */
    void close(Runnable release) {
        releaseAtOnce = release;
    }
}
