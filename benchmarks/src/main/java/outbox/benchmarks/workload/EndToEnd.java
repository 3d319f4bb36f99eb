package outbox.benchmarks.workload;

import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Listening;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Measurement;

/** Business transactions whose events are delivered and marked while the producers go on; the clock runs until all are done. */
final class EndToEnd extends SoloWorkload {

    private static final int CAPACITY = 1 << 20;

    private final int producers;

    EndToEnd(int producers) {
        super("end-to-end", "end-to-end-" + producers);
        this.producers = producers;
    }

    /** Defaults are shown under the full load only. */
    @Override
    public boolean suits(Candidate candidate) {
        return super.suits(candidate)
                || (producers == 8 && candidate.keys() != 1 && candidate.listening() == Listening.ONE_BY_ONE);
    }

    @Override
    Measurement measure(Candidate candidate, Scratch database, Scale scale) throws Exception {
        database.settle();
        database.meter().begin();
        Deliveries deliveries = new Deliveries(CAPACITY);
        PerEvent figures;
        Finish finish;
        try (Participant participant = candidate.open(database, Purpose.DELIVER, deliveries);
                Producers writers = new Producers(participant, producers, 1)) {
            participant.start();
            CpuClock cpu = CpuClock.start();
            Producers.Production production = writers.writeFor(scale.producing());
            finish = Finish.await(
                    deliveries, production.written(), database, candidate.pendingQuery(), scale.patience());
            int done = Math.min(production.timed(), finish.check().arrived());
            figures = new PerEvent(production.written())
                    .rate(done / Producers.Production.seconds(production.begin(), finish.at()))
                    .cpuMicros(cpu.microsSinceStart());
            database.stopProbing();
        }
        figures.costs(database.meter().end());
        return measurement(candidate, database, figures.values(), finish.check());
    }
}
