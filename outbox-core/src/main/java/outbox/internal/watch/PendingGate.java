package outbox.internal.watch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import outbox.OutboxFullException;
import outbox.WhenFull;
import outbox.internal.text.SafeLog;

/**
 * Lets writers through as long as not too many events are pending. Somebody else counts them from time to time; a writer reads one field. It
 * closes above the limit and opens again at nine tenths of it. Thread-safe.
 */
public final class PendingGate {

    private static final Logger LOG = SafeLog.of(PendingGate.class);

    /** Nothing needs more, and more could not be counted in reasonable time. */
    private static final int HIGHEST = 1_000_000_000;

    private enum State {
        /** Nobody counts yet. */
        UNWATCHED,
        OPEN,
        FULL
    }

    /** How many events may be pending; 0 for any number. */
    private final int limit;

    private final WhenFull whenFull;
    private final String table;
    private volatile State state;
    private volatile Runnable watch = () -> {};
    /** What was counted last. */
    private volatile int pending;

    private boolean left;

    private PendingGate(int limit, WhenFull whenFull, @Nullable String table) {
        this.limit = limit;
        this.whenFull = whenFull;
        this.table = table == null ? "of the outbox" : table;
        this.state = limit == 0 ? State.OPEN : State.UNWATCHED;
    }

    /** A gate that is always open. */
    public static PendingGate open() {
        return new PendingGate(0, WhenFull.WARN, null);
    }

    /**
     * A gate with a limit.
     *
     * @throws IllegalArgumentException if the limit is not positive or too high to be counted
     */
    public static PendingGate of(long limit, WhenFull whenFull, @Nullable String table) {
        if (limit < 1 || limit > HIGHEST) {
            throw new IllegalArgumentException("pendingLimit must be from 1 to " + HIGHEST + ", was " + limit);
        }
        return new PendingGate((int) limit, whenFull, table);
    }

    /** Called by who writes, before anything is inserted. */
    public void admit() {
        State now = state;
        if (now == State.OPEN) {
            return;
        }
        if (now == State.UNWATCHED) {
            watch.run();
        } else if (whenFull == WhenFull.REFUSE) {
            throw new OutboxFullException(table, limit, pending);
        }
    }

    /** Says how the counting is begun, which a write does if nobody else has. */
    void watchedBy(Runnable start) {
        watch = start;
    }

    /** From now on somebody counts. */
    synchronized void watched() {
        if (state == State.UNWATCHED) {
            state = State.OPEN;
        }
    }

    /** From now on nobody counts, so nobody could open it again. */
    synchronized void left() {
        left = true;
        state = State.OPEN;
        watch = () -> {};
    }

    boolean isLimited() {
        return limit > 0;
    }

    /** Where to stop counting. */
    int enough() {
        return limit == 0 ? 0 : limit + 1;
    }

    /** Told how many events are pending; no more than {@link #enough()}. */
    synchronized void counted(int count) {
        if (left) {
            return;
        }
        pending = count;
        if (state != State.FULL && count > limit) {
            state = State.FULL;
            LOG.log(
                    Level.WARNING,
                    "More than {0} events are pending in table {1}, which is its limit; {2}",
                    String.valueOf(limit),
                    table,
                    refuses() ? "writes are refused until it is down to 90 %" : "writes go on");
        } else if (state == State.FULL && count <= limit / 10 * 9 + limit % 10 * 9 / 10) {
            state = State.OPEN;
            LOG.log(
                    Level.INFO,
                    "{0} events are pending in table {1}; it is no longer full",
                    String.valueOf(count),
                    table);
        }
    }

    private boolean refuses() {
        return whenFull == WhenFull.REFUSE;
    }

    /** Whether at least half of the limit was counted. */
    boolean isHalfFull() {
        return limit > 0 && pending >= limit - limit / 2;
    }

    /** What makes a write fail, in words; null if nothing does. */
    @Nullable
    String problem() {
        return state == State.FULL && refuses()
                ? "Writes to table " + table + " are refused: at least " + pending
                        + " events are pending, and its limit is " + limit
                : null;
    }

    /** What a limit says before it makes a write fail; null if there is nothing to say. */
    @Nullable
    String warning() {
        return isHalfFull() && problem() == null
                ? (pending > limit ? "More than " + limit : pending) + " events are pending in table " + table
                        + ", and its limit is " + limit
                : null;
    }
}
