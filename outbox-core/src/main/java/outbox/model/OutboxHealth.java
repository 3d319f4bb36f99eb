package outbox.model;

import java.util.ArrayList;
import java.util.List;

/**
 * How an outbox, or a part of it, is doing.
 *
 * @param problems what is wrong, in words for an operator; empty if nothing is
 * @param warnings what deserves a look before something is wrong, and what could not be found out
 * @param figures what is known in figures
 */
public record OutboxHealth(List<String> problems, List<String> warnings, OutboxFigures figures) {

    /** Nothing is wrong. */
    public static final OutboxHealth HEALTHY = new OutboxHealth(List.of());

    public OutboxHealth {
        problems = List.copyOf(problems);
        warnings = List.copyOf(warnings);
    }

    /** Problems, and nothing else. */
    public OutboxHealth(List<String> problems) {
        this(problems, List.of(), OutboxFigures.NONE);
    }

    /** Whether nothing is wrong; there may be warnings. */
    public boolean healthy() {
        return problems.isEmpty();
    }

    /** The health of both together: all problems and warnings of this one, then those of the other. */
    public OutboxHealth and(OutboxHealth other) {
        return new OutboxHealth(
                both(problems, other.problems), both(warnings, other.warnings), figures.and(other.figures));
    }

    private static List<String> both(List<String> one, List<String> other) {
        List<String> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }
}
