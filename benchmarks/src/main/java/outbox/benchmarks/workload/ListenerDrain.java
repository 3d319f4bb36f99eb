package outbox.benchmarks.workload;

import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Listening;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.candidate.Role;

/** A backlog for listeners that are not called for one event after the other; those that are compared take turns. */
final class ListenerDrain extends Drain {

    private ListenerDrain(String name, Purpose purpose) {
        super("listeners", name, purpose);
    }

    /** Ours alone: what is compared is a listener that takes many at once with one that does not. */
    static ListenerDrain inBatches() {
        return new ListenerDrain("drain-in-batches", Purpose.DRAIN);
    }

    /** A receiver far away, beside bare JDBC with the same one. */
    static ListenerDrain toRemote() {
        return new ListenerDrain("drain-to-remote", Purpose.DRAIN_TO_REMOTE);
    }

    @Override
    public boolean suits(Candidate candidate) {
        boolean plain = !candidate.usesDefaults() && !candidate.deletes() && candidate.keys() == 0;
        boolean comparable = purpose() == Purpose.DRAIN
                ? candidate.role() == Role.OURS && candidate.listening() != Listening.BESIDE_ONE_THAT_HANGS
                : candidate.role() != Role.PEER && candidate.listening() == Listening.ONE_BY_ONE;
        return plain && comparable;
    }

    @Override
    int turns() {
        return 3;
    }
}
