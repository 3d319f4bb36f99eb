package outbox.benchmarks.workload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import outbox.benchmarks.candidate.Business;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Listening;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.BenchServer;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Measurement;
import outbox.benchmarks.report.Metric;
import outbox.benchmarks.report.Progress;

/** A workload that candidates do one after the other, each in a database of its own. */
abstract class SoloWorkload implements Workload {

    private final String group;
    private final String name;

    SoloWorkload(String group, String name) {
        this.group = group;
        this.name = name;
    }

    @Override
    public final String group() {
        return group;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public boolean suits(Candidate candidate) {
        return !candidate.usesDefaults() && candidate.keys() == 0 && candidate.listening() == Listening.ONE_BY_ONE;
    }

    @Override
    public final List<Measurement> measure(BenchServer server, List<Candidate> candidates, Scale scale) {
        List<Measurement> measurements = new ArrayList<>();
        List<Candidate> inTurn = new ArrayList<>(candidates);
        for (int turn = 0; turn < turns(); turn++) {
            measurements.addAll(measureEach(server, inTurn, scale));
            Collections.rotate(inTurn, 1);
        }
        return measurements;
    }

    /** How often each candidate is measured in a round, by turns: more than once where a small difference matters. */
    int turns() {
        return 1;
    }

    private List<Measurement> measureEach(BenchServer server, List<Candidate> candidates, Scale scale) {
        List<Measurement> measurements = new ArrayList<>();
        for (Candidate candidate : candidates) {
            try (Scratch database = server.newScratch()) {
                database.execute(Business.DDL);
                candidate.createTables(database);
                measurements.add(measure(candidate, database, scale));
            } catch (Exception e) {
                Progress.problem(
                        name + " of " + candidate.name() + " on "
                                + server.kind().label() + " failed",
                        e);
            }
        }
        return measurements;
    }

    /** Measures the candidate in a database that has its tables. */
    abstract Measurement measure(Candidate candidate, Scratch database, Scale scale) throws Exception;

    final Measurement measurement(
            Candidate candidate, Scratch database, Map<Metric, Double> values, Measurement.Check check) {
        return new Measurement(
                new Measurement.Subject(database.kind(), name, candidate.name(), candidate.role()), values, check);
    }

    static boolean isPeer(Candidate candidate) {
        return candidate.role() == Role.PEER;
    }
}
