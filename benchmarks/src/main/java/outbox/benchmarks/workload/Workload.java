package outbox.benchmarks.workload;

import java.util.List;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.database.BenchServer;
import outbox.benchmarks.report.Measurement;

/** Something that candidates are made to do, and that is measured. */
public interface Workload {

    /** The name by which it is asked for, shared with its variants. */
    String group();

    /** The name in reports. */
    String name();

    /** Whether the candidate has something to show here that is worth the time. */
    boolean suits(Candidate candidate);

    /** Whether it only counts, so that it may run beside others, and one run tells as much as many. */
    default boolean isFreeOfNoise() {
        return false;
    }

    /** Measures each candidate once. One that fails is reported and left out. */
    List<Measurement> measure(BenchServer server, List<Candidate> candidates, Scale scale);
}
