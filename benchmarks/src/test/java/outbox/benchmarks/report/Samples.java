package outbox.benchmarks.report;

import java.util.Map;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;

/** Measurements for tests of the reports. */
final class Samples {

    private Samples() {}

    static Measurement rate(String workload, String candidate, Role role, double rate) {
        return measurement(workload, candidate, role, Metric.RATE, rate);
    }

    static Measurement measurement(String workload, String candidate, Role role, Metric metric, double value) {
        return measurement(DatabaseKind.POSTGRESQL, workload, candidate, role, Map.of(metric, value));
    }

    static Measurement measurement(
            DatabaseKind database, String workload, String candidate, Role role, Map<Metric, Double> values) {
        return new Measurement(
                new Measurement.Subject(database, workload, candidate, role),
                values,
                new Measurement.Check(10, 10, 0, false));
    }
}
