package outbox.benchmarks.workload;

import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Measurement;

/** Events arrive for the first time, and a handler inserts a row for each. */
final class Consume extends SoloWorkload {

    private final int consumers;
    private final int eventsPerTransaction;
    private final Purpose purpose;

    private Consume(String name, Purpose purpose, int consumers, int eventsPerTransaction) {
        super("consume", name);
        this.purpose = purpose;
        this.consumers = consumers;
        this.eventsPerTransaction = eventsPerTransaction;
    }

    /** One event per transaction. */
    static Consume single(int consumers) {
        return new Consume("consume-" + consumers, Purpose.CONSUME, consumers, 1);
    }

    /** Many events per transaction, by one consumer whose handler is called for each. */
    static Consume batch(int eventsPerTransaction) {
        return new Consume("consume-batch-" + eventsPerTransaction, Purpose.CONSUME, 1, eventsPerTransaction);
    }

    /** Many events per transaction, by one consumer whose handler is called once for all of them. */
    static Consume atOnce(int events) {
        return new Consume("consume-at-once-" + events, Purpose.CONSUME_AT_ONCE, 1, events);
    }

    /** A lease, which is the default, makes no sense for a batch. */
    @Override
    public boolean suits(Candidate candidate) {
        return candidate.consumes() && (eventsPerTransaction == 1 || !candidate.usesDefaults());
    }

    @Override
    Measurement measure(Candidate candidate, Scratch database, Scale scale) throws Exception {
        database.settle();
        database.meter().begin();
        PerEvent figures;
        int consumed;
        try (Participant participant = candidate.open(database, purpose, new Deliveries(0))) {
            CpuClock cpu = CpuClock.start();
            Producers.Production production =
                    new Producers(participant, consumers, eventsPerTransaction).writeFor(scale.producing());
            consumed = production.written();
            figures = new PerEvent(consumed).rate(production.rate()).cpuMicros(cpu.microsSinceStart());
        }
        figures.costs(database.meter().end());
        int effects = (int) database.count("SELECT count(*) FROM business_order");
        return measurement(candidate, database, figures.values(), new Measurement.Check(consumed, effects, 0, false));
    }
}
