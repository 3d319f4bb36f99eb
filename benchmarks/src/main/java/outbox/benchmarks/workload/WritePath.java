package outbox.benchmarks.workload;

import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Measurement;

/** Business insert and events in one transaction; nobody delivers. */
final class WritePath extends SoloWorkload {

    private final int producers;
    private final int eventsPerTransaction;

    private WritePath(String group, String name, int producers, int eventsPerTransaction) {
        super(group, name);
        this.producers = producers;
        this.eventsPerTransaction = eventsPerTransaction;
    }

    /** One event per transaction. */
    static WritePath single(int producers) {
        return new WritePath("write", "write-" + producers, producers, 1);
    }

    /** Many events per transaction, by one producer. */
    static WritePath batch(int eventsPerTransaction) {
        return new WritePath("batch", "batch-" + eventsPerTransaction, 1, eventsPerTransaction);
    }

    @Override
    public boolean suits(Candidate candidate) {
        return super.suits(candidate) && (isPeer(candidate) || !candidate.deletes());
    }

    @Override
    Measurement measure(Candidate candidate, Scratch database, Scale scale) throws Exception {
        database.settle();
        database.meter().begin();
        PerEvent figures;
        int written;
        try (Participant participant = candidate.open(database, Purpose.WRITE, new Deliveries(0));
                Producers writers = new Producers(participant, producers, eventsPerTransaction)) {
            CpuClock cpu = CpuClock.start();
            Producers.Production production = writers.writeFor(scale.producing());
            written = production.written();
            figures = new PerEvent(written).rate(production.rate()).cpuMicros(cpu.microsSinceStart());
        }
        figures.costs(database.meter().end());
        int stored = (int) database.count(candidate.pendingQuery());
        return measurement(candidate, database, figures.values(), new Measurement.Check(written, stored, 0, false));
    }
}
