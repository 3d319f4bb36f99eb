package outbox.benchmarks.peer;

import java.util.List;
import java.util.stream.Stream;
import outbox.benchmarks.candidate.Candidate;

/** All other projects in the comparison. */
public final class Peers {

    private Peers() {}

    /** Each with tuned settings, then with its documented defaults. */
    public static List<Candidate> all() {
        return Stream.of(false, true).<Candidate>flatMap(Peers::all).toList();
    }

    private static Stream<Candidate> all(boolean defaults) {
        return Stream.of(
                new DbSchedulerCandidate(defaults),
                new GruelboxCandidate(defaults),
                new NamastackCandidate(defaults),
                new ModulithCandidate(defaults));
    }
}
