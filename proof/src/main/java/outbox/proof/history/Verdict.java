package outbox.proof.history;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the checker has found.
 *
 * @param explainedRepeats deliveries of events that had been delivered already, where a fault was the reason
 */
public record Verdict(List<Violation> violations, int explainedRepeats) {

    private static final int SHOWN = 30;

    /** How many violations of that kind there are. */
    public long count(Violation.Kind kind) {
        return violations.stream().filter(violation -> violation.kind() == kind).count();
    }

    /** Whether all promises were kept. */
    public boolean isGood() {
        return violations.isEmpty();
    }

    /** How many violations there are of each kind, in words; empty if there are none. */
    public String summary() {
        return Stream.of(Violation.Kind.values())
                .filter(kind -> count(kind) > 0)
                .map(kind -> kind + " " + count(kind))
                .collect(Collectors.joining(", "));
    }

    /** The first violations, one on each line. */
    public String describe() {
        return violations.stream()
                .limit(SHOWN)
                .map(violation -> violation.kind() + ": " + violation.what())
                .collect(Collectors.joining("\n"));
    }
}
