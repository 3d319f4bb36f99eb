package outbox.benchmarks.report;

import java.util.Map;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;

/**
 * What one candidate did in one run of a workload.
 *
 * @param subject which runs belong together
 * @param values what was measured
 * @param check whether everything arrived
 */
public record Measurement(Subject subject, Map<Metric, Double> values, Check check) {

    /** Copies the values. */
    public Measurement {
        values = Map.copyOf(values);
    }

    /**
     * What a measurement is about.
     *
     * @param database where it took place
     * @param workload what was done
     * @param candidate who did it
     * @param role why the candidate takes part
     */
    public record Subject(DatabaseKind database, String workload, String candidate, Role role) {}

    /**
     * Whether everything arrived.
     *
     * @param expected how many events should have arrived
     * @param arrived how many different ones did
     * @param duplicates how many arrivals were repetitions
     * @param cutOff whether the run was ended because it took too long
     */
    public record Check(int expected, int arrived, int duplicates, boolean cutOff) {

        /** For workloads in which nothing is delivered. */
        public static final Check NOTHING = new Check(0, 0, 0, false);

        Check plus(Check other) {
            return new Check(
                    expected + other.expected,
                    arrived + other.arrived,
                    duplicates + other.duplicates,
                    cutOff || other.cutOff);
        }
    }
}
