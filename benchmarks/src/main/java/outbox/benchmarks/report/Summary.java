package outbox.benchmarks.report;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All runs of one candidate on one workload.
 *
 * @param subject what they have in common
 * @param medians over the repetitions
 * @param repetitions how many runs there were
 * @param check all runs together
 */
public record Summary(
        Measurement.Subject subject, Map<Metric, Double> medians, int repetitions, Measurement.Check check) {

    static Summary of(Measurement.Subject subject, List<Measurement> runs) {
        Map<Metric, Double> medians = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            double[] values = runs.stream()
                    .filter(run -> run.values().containsKey(metric))
                    .mapToDouble(run -> run.values().getOrDefault(metric, Double.NaN))
                    .toArray();
            if (values.length > 0) {
                medians.put(metric, Statistics.median(values));
            }
        }
        Measurement.Check all =
                runs.stream().map(Measurement::check).reduce(Measurement.Check.NOTHING, Measurement.Check::plus);
        return new Summary(subject, medians, runs.size(), all);
    }

    /** The median of a metric, if it was measured. */
    public Optional<Double> value(Metric metric) {
        return Optional.ofNullable(medians.get(metric));
    }
}
