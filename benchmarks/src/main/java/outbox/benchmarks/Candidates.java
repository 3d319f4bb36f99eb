package outbox.benchmarks;

import java.util.List;
import java.util.stream.Stream;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.floor.FloorCandidate;
import outbox.benchmarks.ours.OutboxCandidate;
import outbox.benchmarks.peer.Peers;

/** Everybody who takes part. */
final class Candidates {

    private Candidates() {}

    static List<Candidate> all() {
        return Stream.of(FloorCandidate.all(), OutboxCandidate.all(), Peers.all())
                .flatMap(List::stream)
                .toList();
    }

    static List<String> names() {
        return all().stream().map(Candidate::name).toList();
    }
}
