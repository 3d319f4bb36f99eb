package outbox.internal.watch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.DatabaseFailure;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.TableFigures;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.OutboxStore;
import outbox.spi.TableOverview;

/**
 * Asks a table how much waits in it, on a thread of its own: with two statements every 20 seconds while somebody wants to know, and always if
 * there is a limit of pending events, near which it asks every 5 seconds. A look never takes more than a twentieth of the time. Who wants to know
 * gets what the last look has found, and waits only if there was none for a minute, and then for no more than two seconds. Thread-safe.
 */
public final class TableWatch implements AutoCloseable {

    static final Duration INTERVAL = Duration.ofSeconds(20);
    static final Duration INTERVAL_WHEN_HALF_FULL = Duration.ofSeconds(5);
    /** Older answers are not given. */
    static final Duration STALE = Duration.ofSeconds(60);
    /** After which a node that sends a heartbeat every 15 seconds is taken for gone. */
    static final Duration SILENCE = Duration.ofSeconds(45);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
    private static final Duration WITHOUT_NODES = Duration.ofMinutes(10);
    private static final Duration NEVER = Duration.ofDays(365);
    private static final int SHARE = 20;

    private static final Logger LOG = SafeLog.of(TableWatch.class);

    private final OutboxStore store;
    private final ConnectionProvider connections;
    private final PendingGate gate;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final PeriodicTask task;
    private final Object answers = new Object();

    private volatile @Nullable Look last;
    /** How many looks have ended; guarded by the monitor of the answers. */
    private long ended;
    /** When a look began that is under way. */
    private volatile @Nullable Long askingSince;
    /** Of the thread that looks: before this there is no use in asking for nodes. */
    private @Nullable Long nodesNotBefore;

    /**
     * What came of asking.
     *
     * @param figures null if there was no answer
     * @param failure why not, in words
     * @param failingSince when the first of the looks in a row began that had no answer
     * @param pause until the next one
     */
    private record Look(
            @Nullable TableFigures figures,
            @Nullable String failure,
            long failingSince,
            long endedAt,
            Duration pause) {}

    /**
     * What is known.
     *
     * @param figures null if the table could not be asked
     * @param failure why not, in words; null if nobody tried
     * @param failing for how long that has been so
     */
    record Known(@Nullable TableFigures figures, @Nullable String failure, Duration failing) {}

    public TableWatch(OutboxStore store, ConnectionProvider connections, PendingGate gate) {
        this(store, connections, gate, Clock.systemUTC(), System::nanoTime);
    }

    TableWatch(
            OutboxStore store, ConnectionProvider connections, PendingGate gate, Clock clock, LongSupplier nanoTime) {
        this.store = store;
        this.connections = connections;
        this.gate = gate;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.task = new PeriodicTask(
                "TableWatch", ThreadNames.prefix("watch", store.tableName()), this::pause, this::lookIfDue);
        gate.watchedBy(this::start);
    }

    /** Begins to look, if there is a limit; does nothing after {@link #close()}. Without a limit nothing is asked before somebody wants to know. */
    public void start() {
        if (gate.isLimited()) {
            begin();
        }
    }

    private synchronized void begin() {
        if (!task.isClosed()) {
            task.start();
            gate.watched();
        }
    }

    /** What the last look has found; begins the next one if that is due. */
    Known known() {
        if (task.isClosed()) {
            return new Known(null, null, Duration.ZERO);
        }
        begin();
        long seen;
        synchronized (answers) {
            seen = ended;
        }
        Look before = last;
        if (before == null || isDue(before)) {
            task.runSoon();
        }
        if (before == null || isStale(before)) {
            awaitMoreThan(seen);
        }
        return told();
    }

    private Known told() {
        Look look = last;
        if (look == null || isStale(look)) {
            Long since = askingSince;
            Duration silent = since == null ? Duration.ZERO : since(since);
            return new Known(null, "no answer for " + silent.toSeconds() + " s", silent);
        }
        return look.figures == null
                ? new Known(null, look.failure, since(look.failingSince))
                : new Known(look.figures, null, Duration.ZERO);
    }

    private void awaitMoreThan(long seen) {
        long end = System.nanoTime() + LONGEST_WAIT.toNanos();
        synchronized (answers) {
            try {
                for (long left = LONGEST_WAIT.toNanos(); left > 0 && ended == seen && !isOverdue(); ) {
                    TimeUnit.NANOSECONDS.timedWait(answers, Math.max(left, 1_000_000));
                    left = end - System.nanoTime();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Whether an answer has been awaited for so long already that it is not worth waiting again. */
    private boolean isOverdue() {
        Long since = askingSince;
        return task.isClosed() || (since != null && since(since).compareTo(LONGEST_WAIT) > 0);
    }

    private Duration ageOf(Look look) {
        return since(look.endedAt);
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(nanoTime.getAsLong() - nanos);
    }

    /** Looks that take long are rare, and what they have found is good for longer. */
    private boolean isStale(Look look) {
        Duration good = look.pause.multipliedBy(3);
        return ageOf(look).compareTo(good.compareTo(STALE) > 0 ? good : STALE) > 0;
    }

    private boolean isDue(Look look) {
        return ageOf(look).compareTo(look.pause) >= 0;
    }

    private Duration pause() {
        Look look = last;
        return !gate.isLimited() || look == null ? NEVER : look.pause;
    }

    private void lookIfDue() {
        Look before = last;
        if (before == null || isDue(before)) {
            look(before);
        }
    }

    private void look(@Nullable Look before) {
        long began = nanoTime.getAsLong();
        askingSince = began;
        Look now = ended(before, began, null, "it failed");
        try {
            TableFigures figures = ask();
            now = ended(before, began, figures, null);
        } catch (SQLException | RuntimeException e) {
            now = ended(before, began, null, LoggedError.of(e).toString());
            tell(before, e);
        } finally {
            askingSince = null;
            synchronized (answers) {
                last = now;
                ended++;
                answers.notifyAll();
            }
        }
    }

    private Look ended(@Nullable Look before, long began, @Nullable TableFigures figures, @Nullable String failure) {
        long end = nanoTime.getAsLong();
        Duration shortest = gate.isHalfFull() ? INTERVAL_WHEN_HALF_FULL : INTERVAL;
        Duration fair = Duration.ofNanos(end - began).multipliedBy(SHARE);
        return new Look(
                figures,
                failure,
                before == null || before.figures != null ? began : before.failingSince,
                end,
                fair.compareTo(shortest) > 0 ? fair : shortest);
    }

    private TableFigures ask() throws SQLException {
        TableOverview seen =
                ShortTransaction.run(connections, conn -> store.overview(conn, TableFigures.MOST_DEAD, gate.enough()));
        if (gate.isLimited()) {
            gate.counted(seen.pending());
        }
        return new TableFigures(
                clock.instant(),
                seen.oldestDue(),
                seen.dead().dead(),
                seen.dead().holdingKeys(),
                livingNodes(),
                gate.isLimited() ? (long) seen.pending() : null);
    }

    /** Null if nobody knows. The table of nodes may be missing, and the database need not say so every time. */
    private @Nullable Integer livingNodes() throws SQLException {
        LeaseStore leases = store.leases();
        Long notBefore = nodesNotBefore;
        if (leases == null || (notBefore != null && nanoTime.getAsLong() - notBefore < 0)) {
            return null;
        }
        try {
            OptionalInt living = ShortTransaction.run(connections, conn -> leases.livingNodes(conn, SILENCE));
            return living.isPresent() ? living.getAsInt() : null;
        } catch (SQLException | RuntimeException e) {
            if (DatabaseFailure.of(e) != DatabaseFailure.REFUSED) {
                throw e;
            }
            nodesNotBefore = nanoTime.getAsLong() + WITHOUT_NODES.toNanos();
            LOG.log(Level.DEBUG, "Cannot count the nodes of " + store.tableName(), LoggedError.of(e));
            return null;
        }
    }

    /** Without a limit nothing depends on it, and who asks for health is told. */
    private void tell(@Nullable Look before, Exception e) {
        boolean first = before == null || before.figures != null;
        LOG.log(
                first && gate.isLimited() ? Level.WARNING : Level.DEBUG,
                "Cannot count what is pending in " + store.tableName() + "; the limit of pending events stays as it is",
                LoggedError.of(e));
    }

    /** Asks no more; writers are let through. */
    @Override
    public void close() {
        synchronized (this) { // who begins at this moment must not find it closed half-way
            task.stopSoon();
        }
        task.close();
        gate.left();
        synchronized (answers) {
            answers.notifyAll();
        }
    }
}
