package outbox.proof.report;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import outbox.proof.history.Violation;
import outbox.proof.run.RoundResult;

/** What several rounds add up to. */
record Totals(List<RoundResult> rounds) {

    long faults() {
        return sum(RoundResult::faultCount);
    }

    long committed() {
        return sum(RoundResult::committed);
    }

    long rolledBack() {
        return sum(RoundResult::rolledBack);
    }

    long deliveries() {
        return sum(RoundResult::deliveries);
    }

    long effects() {
        return sum(RoundResult::effects);
    }

    long explainedRepeats() {
        return sum(round -> round.verdict().explainedRepeats());
    }

    long count(Violation.Kind kind) {
        return sum(round -> round.verdict().count(kind));
    }

    boolean isBesideOlder() {
        return rounds.stream().anyMatch(round -> round.beside() != null);
    }

    /** Violations that have no column of their own. */
    long others() {
        return count(Violation.Kind.WRONG_STATE)
                + count(Violation.Kind.OVERLAPPING)
                + count(Violation.Kind.STILL_LEASED)
                + count(Violation.Kind.LEAKED);
    }

    Duration withoutProgress() {
        return rounds.stream()
                .map(RoundResult::withoutProgress)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    private long sum(ToLongFunction<RoundResult> what) {
        return rounds.stream().mapToLong(what).sum();
    }
}
