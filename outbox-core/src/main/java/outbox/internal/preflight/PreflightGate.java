package outbox.internal.preflight;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.OutboxException;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.DatabaseFailure;
import outbox.model.OutboxFigures;
import outbox.model.OutboxHealth;
import outbox.model.PreflightFinding;
import outbox.model.PreflightReport;
import outbox.spi.Preflight;

/**
 * Runs a preflight at the start, and lets nothing be taken from the table before it has passed. A start that it refuses fails. A database that
 * cannot be reached refuses nothing: the preflight is repeated, on a thread of its own, until it passes. Thread-safe.
 */
public final class PreflightGate implements AutoCloseable {

    /** A database may come back at any moment. */
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    /** What refuses the start has to be repaired by somebody, so the pauses become longer. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private static final Logger LOG = SafeLog.of(PreflightGate.class);

    /** The check of findings about the preflight itself. */
    private static final String ITSELF = "preflight";

    private enum State {
        /** There was no start yet. */
        NOT_STARTED,
        WAITING,
        PASSED
    }

    private final @Nullable Preflight preflight;
    private final Set<String> skipped;
    private final String table;
    private final PeriodicTask repeat;
    private volatile State state = State.NOT_STARTED;
    private volatile Preflight.@Nullable Work work;
    /** What keeps it from opening, of the last preflight that could ask. */
    private volatile List<PreflightFinding> refusals = List.of();
    /** Why the last preflight could not ask; null if it could. */
    private volatile @Nullable String away;

    private boolean toldAway;
    /** Of the thread that repeats. */
    private Duration nextPause = SHORTEST_PAUSE;

    /**
     * @param preflight null if the store has none: then the gate is always open
     * @param table for messages
     * @throws IllegalArgumentException if there is no check of a name that is to be skipped
     */
    public PreflightGate(@Nullable Preflight preflight, Set<String> skipped, @Nullable String table) {
        this.preflight = preflight;
        this.skipped = Set.copyOf(skipped);
        this.table = table == null ? "the outbox" : "outbox " + table;
        requireKnown(preflight == null ? List.of() : preflight.checks());
        this.repeat = new PeriodicTask("Preflight", ThreadNames.prefix("preflight", table), this::pause, this::again);
    }

    private void requireKnown(List<String> names) {
        Set<String> unknown = new TreeSet<>(skipped);
        names.forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    "skipPreflight names " + unknown + ", but the checks of " + table + " are " + names);
        }
    }

    /** Whether nothing stands in the way. Before the start it is open; once it has opened after that, it stays so. */
    public boolean isOpen() {
        return state != State.WAITING;
    }

    /**
     * Runs the preflight, unless it has passed already or is being repeated.
     *
     * @throws OutboxException with all that refuses the start
     */
    public synchronized void start(Preflight.Work planned) {
        if (state != State.NOT_STARTED || repeat.isClosed()) {
            return;
        }
        work = planned;
        PreflightReport report = report(planned);
        if (!report.refusals().isEmpty()) {
            throw new OutboxException(message(report.refusals()), null);
        }
        take(report);
        if (state == State.WAITING) {
            repeat.start();
        }
    }

    private String message(List<PreflightFinding> found) {
        return "The preflight of " + table + " has found " + found.size()
                + (found.size() == 1 ? " problem" : " problems")
                + " with which it must not start:"
                + found.stream().map(finding -> "\n- " + finding).collect(Collectors.joining());
    }

    /** Runs the preflight now, and changes nothing. */
    public PreflightReport report(Preflight.Work planned) {
        if (preflight == null) {
            return PreflightReport.CLEAN;
        }
        Preflight.Work tried = new Preflight.Work(
                planned.needs(), new TriedConnections(planned.connections()), planned.held(), planned.clock());
        try {
            return PreflightReport.of(preflight.run(tried, skipped));
        } catch (SQLException e) {
            return notAsked(e);
        } catch (RuntimeException e) {
            return DatabaseFailure.of(e) == DatabaseFailure.REFUSED ? failed(e) : notAsked(e);
        }
    }

    private PreflightReport notAsked(Exception e) {
        LOG.log(Level.DEBUG, "The preflight of " + table + " could not ask the database", LoggedError.of(e));
        return PreflightReport.notAsked(LoggedError.of(e).toString());
    }

    /** A mistake of the preflight itself must not keep events from being delivered, nor be taken for a good answer. */
    private PreflightReport failed(RuntimeException e) {
        LOG.log(Level.WARNING, "The preflight of " + table + " failed", LoggedError.of(e));
        return PreflightReport.of(List.of(PreflightFinding.warning(
                ITSELF,
                "The preflight itself failed (" + LoggedError.of(e)
                        + "), so nothing is known of what it looks at: see the log for where, and report it")));
    }

    private synchronized void again() {
        Preflight.Work planned = work;
        if (planned != null && state == State.WAITING && !repeat.isClosed()) {
            take(report(planned));
        }
        if (state == State.PASSED) {
            repeat.stopSoon();
        }
    }

    private void take(PreflightReport report) {
        away = report.notAsked();
        if (report.passed()) {
            report.warnings().forEach(finding -> LOG.log(Level.WARNING, "Preflight of " + table + ": " + finding));
            if (state == State.WAITING) {
                LOG.log(Level.INFO, "The preflight of " + table + " has passed; it starts");
            }
            refusals = List.of();
            state = State.PASSED;
            return;
        }
        state = State.WAITING;
        if (report.asked()) {
            tellRefusals(report.refusals());
        } else if (!toldAway) {
            toldAway = true;
            LOG.log(
                    Level.WARNING,
                    "The preflight of " + table + " waits for the database (" + report.notAsked()
                            + "); until it has passed nothing is taken from the table");
        }
    }

    /** Told again only when it has changed. */
    private void tellRefusals(List<PreflightFinding> found) {
        if (!found.equals(refusals)) {
            LOG.log(Level.ERROR, message(found) + "\nNothing is taken from the table until they are solved");
        }
        refusals = found;
    }

    private Duration pause() {
        Duration doubled = nextPause.multipliedBy(2);
        Duration pause = refusals.isEmpty() ? SHORTEST_PAUSE : nextPause;
        nextPause =
                refusals.isEmpty() ? SHORTEST_PAUSE : doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
        return pause;
    }

    /** What keeps the outbox from its work. */
    public OutboxHealth health() {
        if (repeat.isClosed() || state != State.WAITING) {
            return OutboxHealth.HEALTHY;
        }
        List<String> refused =
                refusals.stream().map(finding -> "Preflight: " + finding).toList();
        List<String> waits = Stream.ofNullable(away)
                .map(why -> "Preflight: waits for the database (" + why
                        + "); until it has passed nothing is taken from the table")
                .toList();
        return new OutboxHealth(refused, waits, OutboxFigures.NONE);
    }

    @Override
    public void close() {
        repeat.close();
    }
}
