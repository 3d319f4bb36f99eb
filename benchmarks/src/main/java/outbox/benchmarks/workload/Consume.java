package outbox.benchmarks.workload;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import outbox.benchmarks.Progress;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.BenchServer;
import outbox.benchmarks.report.Measurement;

/**
 * Events arrive for the first time, and a handler inserts a row for each. The candidates take turns of a fraction of a second, so that a
 * busy moment of the machine hits all alike.
 */
final class Consume implements Workload {

    private static final int TURNS = 20;

    private final String name;
    private final Lane.Form form;

    private Consume(String name, Lane.Form form) {
        this.name = name;
        this.form = form;
    }

    /** One event per transaction. */
    static Consume single(int consumers) {
        return new Consume("consume-" + consumers, new Lane.Form(Purpose.CONSUME, consumers, 1));
    }

    /** Many events per transaction, by one consumer whose handler is called for each. */
    static Consume batch(int eventsPerTransaction) {
        return new Consume(
                "consume-batch-" + eventsPerTransaction, new Lane.Form(Purpose.CONSUME, 1, eventsPerTransaction));
    }

    /** Many events per transaction, by one consumer whose handler is called once for all of them. */
    static Consume atOnce(int events) {
        return new Consume("consume-at-once-" + events, new Lane.Form(Purpose.CONSUME_AT_ONCE, 1, events));
    }

    @Override
    public String group() {
        return "consume";
    }

    @Override
    public String name() {
        return name;
    }

    /** A lease, which is the default, makes no sense for a batch. */
    @Override
    public boolean suits(Candidate candidate) {
        return candidate.consumes() && (form.eventsPerTransaction() == 1 || !candidate.usesDefaults());
    }

    @Override
    public List<Measurement> measure(BenchServer server, List<Candidate> candidates, Scale scale) {
        List<Lane> lanes = open(server, candidates);
        for (int turn = 0; turn < TURNS; turn++) {
            each(lanes, turn, lane -> lane.takeTurn(scale.producing().dividedBy(TURNS)));
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
