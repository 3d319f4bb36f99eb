package outbox.proof.history;

import java.util.List;
import java.util.stream.Collectors;

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

    /** The first violations, one on each line. */
    public String describe() {
        return violations.stream()
                .limit(SHOWN)
                .map(violation -> violation.kind() + ": " + violation.what())
                .collect(Collectors.joining("\n"));
    }
}
