package outbox.benchmarks.workload;

import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Listening;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Measurement;

/**
 * A backlog that somebody has left in the table. The clock runs from the first delivery, because some candidates take seconds to
 * start, until the table has no pending row.
 */
class Drain extends SoloWorkload {

    private static final int WRITERS = 4;
    private static final int EVENTS_PER_TRANSACTION = 100;
    private static final int NO_MATTER = -1;

    private final int finishedRows;

    private final Purpose purpose;

    private Drain(String group, String name, int finishedRows) {
        super(group, name);
        this.finishedRows = finishedRows;
        this.purpose = Purpose.DRAIN;
    }

    /** For those who drain with other listeners than one that does nothing. */
    Drain(String group, String name, Purpose purpose) {
        super(group, name);
        this.finishedRows = NO_MATTER;
        this.purpose = purpose;
    }

    final Purpose purpose() {
        return purpose;
    }

    /** A table with nothing but the backlog, for all candidates. */
    static Drain plain() {
        return new Drain("drain", "drain", NO_MATTER);
    }

    /** A table that also has finished rows, for ours. */
    static Drain amongFinished(int rows) {
        return new Drain("done-rows", "done-rows-" + rows, rows);
    }

    @Override
    public boolean suits(Candidate candidate) {
        if (finishedRows == NO_MATTER) {
            return candidate.listening() == Listening.ONE_BY_ONE;
        }
        return candidate.role() == Role.OURS && !candidate.deletes() && super.suits(candidate);
    }

    @Override
    Measurement measure(Candidate candidate, Scratch database, Scale scale) throws Exception {
        if (finishedRows > 0) {
            candidate.addFinished(database, finishedRows);
        }
        int backlog = isSlow(candidate) ? scale.peerBacklog() : scale.backlog();
        leave(backlog, candidate, database);
        database.settle();
        database.meter().begin();
        Deliveries deliveries = new Deliveries(backlog);
        PerEvent figures;
        Finish finish;
        try (Participant participant = candidate.open(database, purpose, deliveries)) {
            CpuClock cpu = CpuClock.start();
            participant.start();
            finish = Finish.await(deliveries, backlog, database, candidate.pendingQuery(), scale.patience());
            int arrived = finish.check().arrived();
            long begin = arrived == 0 ? finish.at() - scale.patience().toNanos() : deliveries.firstAt();
            figures = new PerEvent(arrived)
                    .rate(arrived / Producers.Production.seconds(begin, finish.at()))
                    .cpuMicros(cpu.microsSinceStart());
            database.stopProbing();
        }
        figures.costs(database.meter().end());
        return measurement(candidate, database, figures.values(), finish.check());
    }

    /** One key alone goes on with one commit after the other. */
    private static boolean isSlow(Candidate candidate) {
        return isPeer(candidate) || candidate.usesDefaults() || candidate.keys() == 1;
    }

    /** Writes a backlog. */
    static void leave(int events, Candidate candidate, Scratch database) throws Exception {
        try (Participant participant = candidate.open(database, Purpose.BACKLOG, new Deliveries(events));
                Producers writers = new Producers(participant, WRITERS, EVENTS_PER_TRANSACTION)) {
            writers.write(events);
        }
    }
}
