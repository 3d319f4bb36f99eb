package outbox.cluster.order;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What the checker has found.
 *
 * @param repeats deliveries of an event that had been delivered already, or was being delivered
 * @param lateStarts those of them that a process began right after it had stood still
 */
record Verdict(List<Violation> violations, int repeats, int lateStarts) {

    private static final int SHOWN_KEYS = 5;

    /** The violations and what happened to their keys; empty if all is well. */
    String describe(History history) {
        String all = violations.stream().map(Violation::toString).limit(50).collect(Collectors.joining("\n"));
        String keys = violations.stream()
                .map(Violation::key)
                .filter(Objects::nonNull)
                .distinct()
                .limit(SHOWN_KEYS)
                .map(key -> "History of " + key + ":\n" + history.describe(key))
                .collect(Collectors.joining("\n"));
        return violations.isEmpty() ? "" : violations.size() + " violation(s)\n" + all + "\n" + keys;
    }
}
