package outbox.internal.pause;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.DatabaseFailure;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.Pause;
import outbox.spi.ConnectionProvider;
import outbox.spi.MissingPauseTableException;
import outbox.spi.PauseStore;

/**
 * Knows in time what is paused for all processes: reads it on a thread of its own while something is delivered, or is paused. Before the
 * first delivery after a while the worker waits for it, so that an idle process needs to ask nothing. Thread-safe.
 *
 * <p>Nothing else depends on it: if it cannot be read, what was known last goes on to count. A process that has not known anything yet delivers
 * nothing while the database is away; if the database refuses to tell, nothing is paused.
 */
public final class SharedPauses {

    /** After which it is read again, if something is delivered, or paused. */
    static final Duration READ_AGAIN = Duration.ofSeconds(2);

    /** Older knowledge is not good enough to deliver by. */
    static final Duration STALE = Duration.ofSeconds(4);

    /** After which it is asked again whether there is a table of pauses by now. */
    static final Duration LOOK_FOR_TABLE = Duration.ofMinutes(1);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
    private static final Duration NEVER = Duration.ofDays(365);

    private static final Logger LOG = SafeLog.of(SharedPauses.class);

    private final PauseStore store;
    private final ConnectionProvider connections;
    private final PauseBoard board;
    private final String outbox;
    private final LongSupplier nanoTime;
    private final PeriodicTask task;

    /** Of the thread that reads: when it reads again whatever happens, or did so last. */
    private long arranged = System.nanoTime();

    /** Told after each reading. */
    private final Object readings = new Object();

    private volatile Knowledge knowledge = new Knowledge(State.NOTHING_YET, 0, 0);
    private volatile boolean wasChanged;
    private volatile boolean told;

    /** What has come of the last reading. */
    private enum State {
        /** There was none. */
        NOTHING_YET,
        KNOWN,
        /** The last one failed, and what was known before counts. */
        OUTDATED,
        /** The first one failed, and may not the next time. */
        UNKNOWN,
        /** There is no table of pauses, or this user may not read it. */
        NO_TABLE
    }

    /**
     * What is known.
     *
     * @param at when its reading began
     * @param number of that reading
     */
    private record Knowledge(State state, long at, long number) {}

    /** @param table for messages and the name of the thread; null if unknown */
    public SharedPauses(
            PauseStore store,
            ConnectionProvider connections,
            PauseBoard board,
            @Nullable String table,
            LongSupplier nanoTime) {
        this.store = store;
        this.connections = connections;
        this.board = board;
        this.outbox = table == null ? "outbox" : "outbox " + table;
        this.nanoTime = nanoTime;
        this.task = new PeriodicTask("Pauses", ThreadNames.prefix("pauses", table), NEVER, this::readIfDue);
    }

    /** Makes sure that the board is right, as far as that can be known; false if nothing may be delivered before it is. */
    public boolean areKnown() {
        Knowledge known = knowledge;
        if (!isDue(known)) {
            return known.state != State.UNKNOWN;
        }
        begin();
        task.runSoon();
        boolean mayWait = known.state == State.NOTHING_YET
                || known.state == State.UNKNOWN
                || (known.state == State.KNOWN && age(known).compareTo(STALE) > 0);
        if (mayWait) {
            awaitOther(known);
        }
        State state = knowledge.state;
        return state != State.UNKNOWN && state != State.NOTHING_YET;
    }

    /** Reads again what is paused, because that was changed by this process a moment ago. */
    public void changed() {
        Knowledge known = knowledge;
        wasChanged = true;
        begin();
        task.runSoon();
        awaitOther(known);
    }

    private synchronized void begin() {
        if (!task.isClosed()) {
            task.start();
        }
    }

    private Duration age(Knowledge known) {
        return Duration.ofNanos(nanoTime.getAsLong() - known.at);
    }

    private boolean isDue(Knowledge known) {
        Duration good = known.state == State.NO_TABLE ? LOOK_FOR_TABLE : READ_AGAIN;
        return known.state == State.NOTHING_YET || age(known).compareTo(good) >= 0;
    }

    private void awaitOther(Knowledge known) {
        long end = System.nanoTime() + LONGEST_WAIT.toNanos();
        synchronized (readings) {
            try {
                for (long left = LONGEST_WAIT.toNanos();
                        left > 0 && knowledge.number == known.number && !task.isClosed(); ) {
                    TimeUnit.NANOSECONDS.timedWait(readings, Math.max(left, 1_000_000));
                    left = end - System.nanoTime();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void readIfDue() {
        try {
            if (wasChanged || isDue(knowledge) || board.hasSomeEverywhere()) {
                wasChanged = false;
                read();
            }
        } finally {
            readAgainIfPaused();
        }
    }

    /** Whoever asked for this reading, there may be no delivery that asks for the next one. One that is arranged already is enough. */
    private void readAgainIfPaused() {
        long now = System.nanoTime();
        if (board.hasSomeEverywhere() && now - arranged >= 0) {
            arranged = now + READ_AGAIN.toNanos();
            task.runAfter(READ_AGAIN);
        }
    }

    private void read() {
        long began = nanoTime.getAsLong();
        State before = knowledge.state;
        State after = before == State.KNOWN || before == State.OUTDATED ? State.OUTDATED : State.UNKNOWN;
        try {
            List<Pause> pauses = ShortTransaction.run(connections, store::pauses);
            board.pausedEverywhere(pauses);
            after = State.KNOWN;
            told = false;
        } catch (MissingPauseTableException e) {
            board.pausedEverywhere(List.of());
            after = State.NO_TABLE;
            tell(Level.DEBUG, e);
        } catch (SQLException | RuntimeException e) {
            if (DatabaseFailure.of(e) == DatabaseFailure.REFUSED && before != State.KNOWN && before != State.OUTDATED) {
                after = State.NO_TABLE;
            }
            tell(Level.WARNING, e);
        } finally {
            synchronized (readings) {
                knowledge = new Knowledge(after, began, knowledge.number + 1);
                readings.notifyAll();
            }
        }
    }

    private void tell(Level level, Exception e) {
        LOG.log(
                told ? Level.DEBUG : level,
                outbox + ": it cannot be read what is paused for all processes",
                LoggedError.of(e));
        told = true;
    }

    /** Reads no more. */
    public void close() {
        synchronized (this) { // who begins at this moment must not find it closed half-way
            task.stopSoon();
        }
        task.close();
        synchronized (readings) {
            readings.notifyAll();
        }
    }
}
