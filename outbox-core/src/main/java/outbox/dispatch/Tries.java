package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.CompletionWriter.Pause;
import outbox.dispatch.CompletionWriter.Written;
import outbox.internal.DatabaseFailure;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;

/**
 * Tries to write outcomes and says what became of them. A try returns what the database has against these outcomes; null if nothing is left
 * to do, because they are written, kept until their rows are free, or given up.
 */
final class Tries {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final MarkTransactions transactions;
    private final Pause pause;
    private final Reports reports;
    private final LockedOutcomes locked;
    private final Outage outage = new Outage();
    private boolean skipsLocked = true;
    private boolean expectsLocks;

    Tries(MarkTransactions transactions, Pause pause, Reports reports, LockedOutcomes locked) {
        this.transactions = transactions;
        this.pause = pause;
        this.reports = reports;
        this.locked = locked;
    }

    /** Whether locked rows can be passed over; taken for granted until it turns out that they cannot. */
    boolean skipsLocked() {
        return skipsLocked;
    }

    /**
     * Writes a group, however long the database cannot write anything. Where one has just met locked rows the next one may, and goes the
     * way around them at once instead of waiting for the time limit.
     */
    @Nullable
    Exception write(List<Completion> group) {
        Exception problem = expectsLocks ? null : outlast(group, this::plainly);
        if (!expectsLocks && (problem == null || !isLocked(problem) || !skipsLocked)) {
            return problem;
        }
        int before = locked.count();
        problem = outlast(group, this::unlocked);
        expectsLocks = locked.count() > before;
        return problem;
    }

    /** As {@link #write}, for rows that were locked when they were last tried. */
    @Nullable
    Exception writeAgain(List<Completion> group) {
        return outlast(group, skipsLocked ? this::unlocked : this::plainly);
    }

    /** Writes no more of the completion's error than every database takes; tries once. */
    @Nullable
    Exception writeWithoutText(Completion completion) {
        List<Completion> plain = List.of(completion.withoutText());
        return attempt(List.of(completion), () -> transactions.write(plain));
    }

    private interface Try {
        @Nullable
        Exception on(List<Completion> group);
    }

    private @Nullable Exception outlast(List<Completion> group, Try one) {
        GrowingPause pauses = GrowingPause.betweenTries();
        Exception problem = one.on(group);
        while (problem != null && isOutage(problem, group.size())) {
            if (!pause.await(pauses.next())) {
                giveUp(group, problem);
                return null;
            }
            problem = one.on(group);
        }
        return problem;
    }

    /** Whether nothing can be written now. What an exception does not tell is told by asking whether the database answers at all. */
    boolean isOutage(Exception problem, int waiting) {
        DatabaseFailure kind = DatabaseFailure.of(problem);
        if (kind == DatabaseFailure.REFUSED && !transactions.databaseAnswers()) {
            kind = DatabaseFailure.AWAY;
        }
        if (kind.isOutage()) {
            outage.goesOn(kind, problem, waiting);
        }
        return kind.isOutage();
    }

    static boolean isLocked(Exception problem) {
        return DatabaseFailure.of(problem) == DatabaseFailure.LOCKED;
    }

    private @Nullable Exception plainly(List<Completion> group) {
        return attempt(group, () -> transactions.write(group));
    }

    private @Nullable Exception unlocked(List<Completion> group) {
        return attempt(group, () -> {
            Optional<Written> written = transactions.writeUnlocked(group);
            skipsLocked = written.isPresent();
            return written.isPresent() ? written.get() : transactions.write(group);
        });
    }

    private interface Work {
        Written run() throws SQLException;
    }

    private @Nullable Exception attempt(List<Completion> group, Work work) {
        Written written;
        try {
            written = work.run();
        } catch (SQLException | RuntimeException e) {
            return e;
        } catch (VirtualMachineError e) {
            throw e; // there may be enough memory in a moment
        } catch (Error e) {
            // Not the database's word, so nothing that another try would change; but the events must not stay in
            // flight.
            giveUp(group, e);
            return null;
        }
        report(group, written);
        return null;
    }

    /** Tells first and logs then: what is recorded must not be taken for lost because of a log that throws. */
    private void report(List<Completion> group, Written written) {
        for (Completion completion : group) {
            if (written.locked().contains(completion.eventId())) {
                setAside(completion);
            } else {
                reports.written(completion, written.late().contains(completion.eventId()));
            }
        }
        outage.isOver(group.size());
        locked.announce();
    }

    private void setAside(Completion completion) {
        reports.setAside(completion);
        locked.add(completion);
    }

    /** Keeps an outcome until its row is free. */
    void keep(Completion completion) {
        setAside(completion);
        locked.announce();
    }

    /** Keeps outcomes that were kept before and were not tried now. */
    void putBack(List<Completion> untried) {
        untried.forEach(reports::setAside);
        locked.putBack(untried);
    }

    void giveUp(List<Completion> group, Throwable problem) {
        reports.givenUp(group);
        LOG.log(Level.ERROR, cannotRecord(group) + "; giving up, may be delivered again", LoggedError.of(problem));
    }

    static String cannotRecord(List<Completion> group) {
        Completion first = group.get(0);
        return "Cannot record that " + first + " is " + first.outcomeName()
                + (group.size() == 1 ? "" : " and " + (group.size() - 1) + " other outcome(s)");
    }
}
