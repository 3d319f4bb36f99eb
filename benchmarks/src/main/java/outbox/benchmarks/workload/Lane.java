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

/** One candidate of several that work in turns, in a database of its own. */
final class Lane implements AutoCloseable {

    /**
     * How events are written or consumed.
     *
     * @param threads that do it
     */
    record Form(Purpose purpose, int threads, int eventsPerTransaction) {

        boolean delivers() {
            return purpose == Purpose.DELIVER;
        }
    }

    private static final int CAPACITY = 1 << 20;

    private final Candidate candidate;
    private final Form form;
    private final Scratch database;
    private @Nullable Participant participant;
    private final Deliveries deliveries;
    private @Nullable Producers producers;
    private @Nullable Finish finish;
    private int written;
    private int timed;
    private double seconds;
    private double cpuMicros;
    private OptionalLong logBytes = OptionalLong.empty();

    private Lane(Candidate candidate, Form form, Scratch database) {
        this.candidate = candidate;
        this.form = form;
        this.database = database;
        this.deliveries = new Deliveries(form.delivers() ? CAPACITY : 0);
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
        participant = candidate.open(database, form.purpose, deliveries);
        producers = new Producers(participant, form.threads, form.eventsPerTransaction);
        if (form.delivers()) {
            participant.start();
        }
    }

    Candidate candidate() {
        return candidate;
    }

    /** Works for some time, on connections that it keeps from turn to turn, while all others rest. */
    void takeTurn(Duration time, Duration patience) throws Exception {
        OptionalLong logBefore = database.meter().logPosition();
        int arrivedBefore = deliveries.distinct();
        CpuClock cpu = CpuClock.start();
        Producers.Production production = Objects.requireNonNull(producers).writeFor(time);
        written = production.written();
        long end = form.delivers() ? deliverAll(patience) : production.end();
        cpuMicros += cpu.microsSinceStart();
        timed += form.delivers()
                ? Math.min(production.timed(), deliveries.distinct() - arrivedBefore)
                : production.timed();
        seconds += Producers.Production.seconds(production.begin(), end);
        if (logBefore.isPresent()) {
            long bytes = database.meter().logPosition().orElseThrow() - logBefore.getAsLong();
            logBytes = OptionalLong.of(logBytes.orElse(0) + bytes);
        }
    }

    private long deliverAll(Duration patience) throws SQLException {
        finish = Finish.await(deliveries, written, database, candidate.pendingQuery(), patience);
        return finish.at();
    }

    /** What it has done in all its turns; it does no more. */
    Measurement end(String workload) throws SQLException {
        stop();
        Costs costs = database.meter().end();
        PerEvent figures = new PerEvent(written)
                .rate(timed / seconds)
                .cpuMicros(cpuMicros)
                .costs(new Costs(costs.statements(), costs.commits(), logBytes));
        return new Measurement(
                new Measurement.Subject(database.kind(), workload, candidate.name(), candidate.role()),
                figures.values(),
                finish == null ? new Measurement.Check(written, stored(), 0, false) : finish.check());
    }

    /** What a consumer has done are business rows; who writes has left events. */
    private int stored() throws SQLException {
        boolean left = form.purpose == Purpose.WRITE_HOT;
        return (int) database.count(left ? candidate.pendingQuery() : "SELECT count(*) FROM business_order");
    }

    private void stop() throws SQLException {
        if (producers != null) {
            producers.close();
            producers = null;
        }
        if (participant != null) {
            participant.close();
            participant = null;
        }
        database.stopProbing();
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
