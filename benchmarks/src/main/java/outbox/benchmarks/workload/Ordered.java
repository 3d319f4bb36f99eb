package outbox.benchmarks.workload;

import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Listening;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.candidate.Role;

/** Producers write one event per transaction, with order and without; only this project, because what counts is one beside the other. */
final class Ordered extends InTurns {

    /** So many that hardly an event meets another one of its key. */
    private static final int KEYS = 10_000;

    private Ordered(String name, Purpose purpose, int producers, int turns) {
        super("ordered", name, new Lane.Form(purpose, producers, 1), turns);
    }

    /** Nobody delivers, but what the writing process needs for that is done. */
    static Ordered write(int producers) {
        return new Ordered("write-" + producers + "-ordered", Purpose.WRITE_HOT, producers, 8);
    }

    /** Events are delivered and marked; a turn ends when all are. */
    static Ordered endToEnd(int producers) {
        return new Ordered("end-to-end-" + producers + "-ordered", Purpose.DELIVER, producers, 4);
    }

    @Override
    public boolean suits(Candidate candidate) {
        boolean tuned =
                !candidate.usesDefaults() && !candidate.deletes() && candidate.listening() == Listening.ONE_BY_ONE;
        return candidate.role() == Role.OURS && tuned && (candidate.keys() == 0 || candidate.keys() == KEYS);
    }
}
