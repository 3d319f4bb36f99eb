package outbox.benchmarks.workload;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import outbox.benchmarks.candidate.Business;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.BenchServer;
import outbox.benchmarks.database.Costs;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Measurement;

/** One candidate of several that consume in turns, in a database of its own. */
final class Lane implements AutoCloseable {

    /**
     * How events are consumed.
     *
     * @param consumers threads
     */
    record Form(Purpose purpose, int consumers, int eventsPerTransaction) {}

    private final Candidate candidate;
    private final Form form;
    private final Scratch database;
    private @Nullable Participant participant;
    private @Nullable Producers consumers;
    private int consumed;
    private int timed;
    private double seconds;
    private double cpuMicros;
    private OptionalLong logBytes = OptionalLong.empty();

    private Lane(Candidate candidate, Form form, Scratch database) {
        this.candidate = candidate;
        this.form = form;
        this.database = database;
    }

    /** Has a database made for the candidate, and the candidate at work in it. */
    static Lane open(BenchServer server, Candidate candidate, Form form) throws Exception {
        Lane lane = new Lane(candidate, form, server.newScratch());
        try {
            lane.open();
            return lane;
        } catch (Exception e) {
            lane.close();
            throw e;
        }
    }

    private void open() throws Exception {
        database.execute(Business.DDL);
        candidate.createTables(database);
        database.settle();
        database.meter().begin();
        participant = candidate.open(database, form.purpose, new Deliveries(0));
        consumers = new Producers(participant, form.consumers, form.eventsPerTransaction);
    }

    Candidate candidate() {
        return candidate;
    }

    /** Consumes for some time, on connections that it keeps from turn to turn, while all others rest. */
    void takeTurn(Duration time) throws Exception {
        OptionalLong logBefore = database.meter().logPosition();
        CpuClock cpu = CpuClock.start();
        Producers.Production production = Objects.requireNonNull(consumers).writeFor(time);
        cpuMicros += cpu.microsSinceStart();
        consumed = production.written();
        timed += production.timed();
        seconds += Producers.Production.seconds(production.begin(), production.end());
        if (logBefore.isPresent()) {
            long written = database.meter().logPosition().orElseThrow() - logBefore.getAsLong();
            logBytes = OptionalLong.of(logBytes.orElse(0) + written);
        }
    }

    /** What it has done in all its turns; it does no more. */
    Measurement end(String workload) throws SQLException {
        stop();
        Costs costs = database.meter().end();
        PerEvent figures = new PerEvent(consumed)
                .rate(timed / seconds)
                .cpuMicros(cpuMicros)
                .costs(new Costs(costs.statements(), costs.commits(), logBytes));
        int effects = (int) database.count("SELECT count(*) FROM business_order");
        return new Measurement(
                new Measurement.Subject(database.kind(), workload, candidate.name(), candidate.role()),
                figures.values(),
                new Measurement.Check(consumed, effects, 0, false));
    }

    private void stop() throws SQLException {
        if (consumers != null) {
            consumers.close();
            consumers = null;
        }
        if (participant != null) {
            participant.close();
            participant = null;
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            stop();
        } finally {
            database.close();
        }
    }
}
