package outbox.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Whether an outbox, or a part of it, is running. This is about its own threads: a database that does not answer, or an event that fails,
 * shows in metrics and logs instead.
 *
 * @param problems what is wrong, in words for an operator; empty if nothing is
 */
public record OutboxHealth(List<String> problems) {

    /** Nothing is wrong. */
    public static final OutboxHealth HEALTHY = new OutboxHealth(List.of());

    public OutboxHealth {
        problems = List.copyOf(problems);
    }

    /** Whether nothing is wrong. */
    public boolean healthy() {
        return problems.isEmpty();
    }

    /** The health of both together: all problems of this one, then those of the other. */
    public OutboxHealth and(OutboxHealth other) {
        List<String> all = new ArrayList<>(problems);
        all.addAll(other.problems);
        return new OutboxHealth(all);
    }
}
