package outbox.internal.outcome;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.outcome.CompletionWriter.Pause;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.DatabaseFailure;
import outbox.spi.ConnectionProvider;

/**
 * Gets outcomes into the table of a database that has said no: waits until an outage is over, goes around rows that somebody else has locked,
 * and finds the one that is refused. Afterwards outcomes are written, kept until their rows are free, or given up.
 */
final class Recovery {

    private static final Logger LOG = SafeLog.of(CompletionWriter.class);
    private static final int PROBE_TIMEOUT_SECONDS = 2;

    /** How many locked rows are tried at once. */
    private static final int ROUND_SIZE = 500;

    private final CompletionWriter writer;
    private final ConnectionProvider connections;
    private final Pause pause;
    private final LockedOutcomes locked;
    private final Refusals refusals;
    private boolean outage;
    private boolean expectsLocks;

    /** Whether locked rows can be passed over; taken for granted until it turns out that they cannot. */
    private boolean skipsLocked = true;

    Recovery(CompletionWriter writer, ConnectionProvider connections, Pause pause, LongSupplier nanoTime) {
        this.writer = writer;
        this.connections = connections;
        this.pause = pause;
        this.locked = new LockedOutcomes(nanoTime);
        this.refusals = new Refusals(this, writer, pause);
    }

    LockedOutcomes locked() {
        return locked;
    }

    /** Writes a group as if for the first time. */
    void write(List<Completion> group) {
        thenInsist(() -> tryAll(group));
    }

    /** Writes a group that a plain attempt could not. */
    void recover(List<Completion> group, Exception problem) {
        thenInsist(() -> tryAll(group, problem));
    }

    /** Writes rows that were locked when they were last tried, as far as they are free now. */
    void writeLocked(List<Completion> all) {
        thenInsist(() -> writeFree(all));
    }

    /** What is refused on the way is insisted on at the end. Of those that are forgotten after an error nothing was told. */
    private void thenInsist(Runnable work) {
        try {
            work.run();
            refusals.insist();
        } finally {
            refusals.clear();
        }
    }

    /**
     * However long the database cannot write anything. Where one group has just met locked rows the next one may, and goes the way around
     * them at once instead of waiting for the time limit.
     */
    private void tryAll(List<Completion> group) {
        if (expectsLocks) {
            tryUnlocked(group);
            return;
        }
        Exception problem = writer.attemptPlainly(group);
        if (problem != null) {
            tryAll(group, problem);
        }
    }

    private void tryAll(List<Completion> group, Exception first) {
        Exception problem = outlast(group, first, writer::attemptPlainly);
        if (problem != null && isLocked(problem) && skipsLocked) {
            tryUnlocked(group);
        } else {
            divide(group, problem, this::tryAll);
        }
    }

    private void tryUnlocked(List<Completion> group) {
        int before = locked.count();
        Exception problem = outlast(group, attemptUnlocked(group), this::attemptUnlocked);
        expectsLocks = locked.count() > before;
        divide(group, problem, this::tryAll);
    }

    /** One by one where the database cannot pass over locked rows, up to the first that is still locked: each costs the time limit. */
    private void writeFree(List<Completion> all) {
        int next = 0;
        while (next < all.size() && (skipsLocked || locked.count() == 0)) {
            int end = Math.min(all.size(), next + (skipsLocked ? ROUND_SIZE : 1));
            tryFree(all.subList(next, end));
            next = end;
        }
        List<Completion> untried = all.subList(next, all.size());
        untried.forEach(writer::setAside);
        locked.putBack(untried);
    }

    private void tryFree(List<Completion> group) {
        Function<List<Completion>, @Nullable Exception> attempt =
                skipsLocked ? this::attemptUnlocked : writer::attemptPlainly;
        divide(group, outlast(group, attempt.apply(group), attempt), this::tryFree);
    }

    private @Nullable Exception attemptUnlocked(List<Completion> group) {
        return writer.attemptUnlocked(group, () -> skipsLocked = false);
    }

    /** Tries again while nothing can be written. Returns what the database has against the group when it can; null if nothing. */
    private @Nullable Exception outlast(
            List<Completion> group,
            @Nullable Exception first,
            Function<List<Completion>, @Nullable Exception> attempt) {
        GrowingPause pauses = GrowingPause.betweenTries();
        Exception problem = first;
        while (problem != null && isOutage(problem, group.size())) {
            if (!pause.await(pauses.next())) {
                writer.giveUp(group, problem);
                return null;
            }
            problem = attempt.apply(group);
        }
        return problem;
    }

    /** One row of the group may be to blame. */
    private void divide(List<Completion> group, @Nullable Exception problem, Consumer<List<Completion>> again) {
        if (problem == null) {
            return;
        }
        if (group.size() > 1) {
            LOG.log(
                    Level.WARNING,
                    "Cannot record a group of " + group.size() + " outcomes, trying its halves",
                    LoggedError.of(problem));
            int middle = group.size() / 2;
            again.accept(group.subList(0, middle));
            again.accept(group.subList(middle, group.size()));
        } else {
            keepOrRefuse(group.get(0), problem);
        }
    }

    private void keepOrRefuse(Completion completion, Exception problem) {
        if (isLocked(problem)) {
            keep(completion);
        } else {
            refusals.add(completion, problem);
        }
    }

    static boolean isLocked(Exception problem) {
        return DatabaseFailure.of(problem) == DatabaseFailure.LOCKED;
    }

    /** Keeps an outcome until its row is free. */
    void keep(Completion completion) {
        writer.setAside(completion);
        locked.add(completion);
        locked.announce();
    }

    /** Whether nothing can be written now. What an exception does not tell is told by asking whether the database answers at all. */
    boolean isOutage(Exception problem, int waiting) {
        DatabaseFailure kind = DatabaseFailure.of(problem);
        if (kind == DatabaseFailure.REFUSED && !databaseAnswers()) {
            kind = DatabaseFailure.AWAY;
        }
        if (kind.isOutage()) {
            outageGoesOn(kind, problem, waiting);
        }
        return kind.isOutage();
    }

    /** Said once, however often the database is tried. */
    private void outageGoesOn(DatabaseFailure kind, Exception problem, int waiting) {
        if (!outage) {
            outage = true;
            LOG.log(
                    Level.WARNING,
                    "The database takes no outcomes now (" + kind + "): " + waiting
                            + " wait until it does, and so do those that follow",
                    LoggedError.of(problem));
        }
    }

    /** Outcomes were written: an outage is over. */
    void written(int outcomes) {
        if (outage) {
            outage = false;
            LOG.log(Level.INFO, "The database takes outcomes again: {0} that waited are recorded", outcomes);
        }
        locked.announce();
    }

    /** Whether a connection can be had and says that it is valid. */
    private boolean databaseAnswers() {
        try (Connection conn = connections.getConnection()) {
            return isValid(conn);
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }

    private static boolean isValid(Connection conn) throws SQLException {
        try {
            return conn.isValid(PROBE_TIMEOUT_SECONDS);
        } catch (RuntimeException e) {
            return true; // a connection that cannot be asked is there all the same
        }
    }
}
