package outbox.benchmarks.report;

import java.util.Optional;
import java.util.function.Function;

/**
 * Something that must hold.
 *
 * @param text what, in words
 * @param limit the least or the most
 * @param atLeast whether the limit is the least; otherwise it is the most
 * @param figure finds the figure; empty if it was not measured
 */
public record Bar(String text, double limit, boolean atLeast, Function<Results, Optional<Double>> figure) {

    static Bar atLeast(double limit, String text, Function<Results, Optional<Double>> figure) {
        return new Bar(text, limit, true, figure);
    }

    static Bar atMost(double limit, String text, Function<Results, Optional<Double>> figure) {
        return new Bar(text, limit, false, figure);
    }

    /** Looks at the results. */
    public Verdict judge(Results results) {
        Optional<Double> measured = figure.apply(results);
        if (measured.isEmpty()) {
            return new Verdict(this, measured, Outcome.NOT_MEASURED);
        }
        boolean holds = atLeast ? measured.get() >= limit : measured.get() <= limit;
        return new Verdict(this, measured, holds ? Outcome.PASS : Outcome.FAIL);
    }

    /** What came of it. */
    public enum Outcome {
        PASS,
        FAIL,
        NOT_MEASURED
    }

    /**
     * A bar and what came of it.
     *
     * @param bar what must hold
     * @param measured the figure
     * @param outcome whether it holds
     */
    public record Verdict(Bar bar, Optional<Double> measured, Outcome outcome) {}
}
