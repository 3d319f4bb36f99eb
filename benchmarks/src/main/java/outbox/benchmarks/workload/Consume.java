package outbox.benchmarks.workload;

import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Purpose;

/** Events arrive for the first time, and a handler inserts a row for each. */
final class Consume extends InTurns {

    private static final int TURNS = 20;

    private Consume(String name, Lane.Form form) {
        super("consume", name, form, TURNS);
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

    /** A lease, which is the default, makes no sense for a batch. */
    @Override
    public boolean suits(Candidate candidate) {
        return candidate.consumes() && (form().eventsPerTransaction() == 1 || !candidate.usesDefaults());
    }
}
