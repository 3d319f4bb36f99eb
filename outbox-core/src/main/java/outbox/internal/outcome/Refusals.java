package outbox.internal.outcome;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import outbox.internal.outcome.CompletionWriter.Pause;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.DatabaseFailure;

/** Single outcomes that the database has refused. They are kept apart because insisting takes time, and others need not wait for it. */
final class Refusals {

    static final int MAX = 8;

    private static final Logger LOG = SafeLog.of(CompletionWriter.class);

    private final Recovery recovery;
    private final CompletionWriter writer;
    private final Pause pause;
    private final Map<Completion, Exception> refused = new LinkedHashMap<>();

    Refusals(Recovery recovery, CompletionWriter writer, Pause pause) {
        this.recovery = recovery;
        this.writer = writer;
        this.pause = pause;
    }

    /** The error's text may be what the database does not take, and an event must not come back for ever because of it. */
    void add(Completion completion, Exception problem) {
        if (completion.withoutText().equals(completion)) {
            refused.put(completion, problem);
            return;
        }
        Exception again = writer.attemptWithoutText(completion);
        if (again != null) {
            keepOrRefuse(completion, again);
            return;
        }
        LOG.log(
                Level.WARNING,
                "The database refused the error text of " + completion + "; it is " + completion.outcomeName()
                        + " without it",
                LoggedError.of(problem));
    }

    private void keepOrRefuse(Completion completion, Exception problem) {
        if (Recovery.isLocked(problem)) {
            recovery.keep(completion);
        } else {
            refused.put(completion, problem);
        }
    }

    /** Tries all of them once per round, so that many cost no more time than one, until there is none left or all are given up. */
    void insist() {
        GrowingPause pauses = GrowingPause.betweenTries();
        int refusals = 1;
        while (!refused.isEmpty()) {
            if (refusals == MAX || !pause.await(pauses.next())) {
                refused.forEach((completion, problem) -> writer.giveUp(List.of(completion), problem));
                refused.clear();
                return;
            }
            Map<Completion, Exception> before = new LinkedHashMap<>(refused);
            refused.clear();
            before.forEach(this::tryAgain);
            refusals += isOutage() ? 0 : 1;
        }
    }

    void clear() {
        refused.clear();
    }

    private void tryAgain(Completion completion, Exception before) {
        if (!DatabaseFailure.of(before).isOutage()) {
            LOG.log(
                    Level.WARNING,
                    CompletionWriter.cannotRecord(List.of(completion)) + ", trying again",
                    LoggedError.of(before));
        }
        Exception problem = writer.attemptWithoutText(completion);
        if (problem != null) {
            keepOrRefuse(completion, problem);
        }
    }

    /** Whether the last round says nothing of these outcomes, because nothing could be written. */
    private boolean isOutage() {
        if (refused.isEmpty()) {
            return false;
        }
        Exception telling = refused.values().stream()
                .filter(problem -> DatabaseFailure.of(problem).isOutage())
                .findFirst()
                .orElseGet(() -> refused.values().iterator().next());
        return recovery.isOutage(telling, refused.size());
    }
}
