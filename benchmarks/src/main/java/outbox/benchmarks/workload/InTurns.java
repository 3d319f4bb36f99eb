package outbox.benchmarks.workload;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.database.BenchServer;
import outbox.benchmarks.report.Measurement;
import outbox.benchmarks.report.Progress;

/** A workload that candidates do by turns of a fraction of a second, so that a busy moment of the machine hits all alike. */
abstract class InTurns implements Workload {

    private final String group;
    private final String name;
    private final Lane.Form form;
    private final int turns;

    InTurns(String group, String name, Lane.Form form, int turns) {
        this.group = group;
        this.name = name;
        this.form = form;
        this.turns = turns;
    }

    @Override
    public final String group() {
        return group;
    }

    @Override
    public final String name() {
        return name;
    }

    final Lane.Form form() {
        return form;
    }

    @Override
    public final List<Measurement> measure(BenchServer server, List<Candidate> candidates, Scale scale) {
        List<Lane> lanes = open(server, candidates);
        Duration time = scale.producing().dividedBy(turns);
        for (int turn = 0; turn < turns; turn++) {
            each(lanes, turn, lane -> lane.takeTurn(time, scale.patience()));
        }
        List<Measurement> measurements = new ArrayList<>();
        each(lanes, 0, lane -> measurements.add(lane.end(name)));
        lanes.forEach(this::close);
        return measurements;
    }

    private List<Lane> open(BenchServer server, List<Candidate> candidates) {
        List<Lane> lanes = new ArrayList<>();
        for (Candidate candidate : candidates) {
            try {
                lanes.add(Lane.open(server, candidate, form));
            } catch (Exception e) {
                tellOf(candidate, e);
            }
        }
        return lanes;
    }

    /** What a candidate does in its turn. */
    @FunctionalInterface
    private interface Step {
        void on(Lane lane) throws Exception;
    }

    /** Who fails takes part no longer. */
    private void each(List<Lane> lanes, int turn, Step step) {
        List<Lane> inTurn = new ArrayList<>(lanes);
        Collections.rotate(inTurn, -turn);
        for (Lane lane : inTurn) {
            try {
                step.on(lane);
            } catch (Exception e) {
                tellOf(lane.candidate(), e);
                lanes.remove(lane);
                close(lane);
            }
        }
    }

    private void close(Lane lane) {
        try {
            lane.close();
        } catch (SQLException e) {
            tellOf(lane.candidate(), e);
        }
    }

    private void tellOf(Candidate candidate, Exception failure) {
        Progress.problem(name + " of " + candidate.name() + " failed", failure);
    }
}
