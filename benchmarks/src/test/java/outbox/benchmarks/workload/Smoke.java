package outbox.benchmarks.workload;

import java.util.List;
import java.util.stream.Stream;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.database.BenchServer;
import outbox.benchmarks.floor.FloorCandidate;
import outbox.benchmarks.ours.OutboxCandidate;
import outbox.benchmarks.peer.Peers;
import outbox.benchmarks.report.Measurement;
import outbox.benchmarks.report.Metric;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs workloads in miniature and checks that everybody has measured something and lost nothing. */
final class Smoke {

    private final BenchServer server;

    Smoke(BenchServer server) {
        this.server = server;
    }

    static List<Candidate> oursAndFloors() {
        return Stream.concat(FloorCandidate.all().stream(), OutboxCandidate.all().stream())
                .toList();
    }

    static List<Candidate> peers(String... names) {
        return Peers.all().stream()
                .filter(peer -> List.of(names).contains(peer.name()))
                .toList();
    }

    void run(Workload workload, List<Candidate> candidates) {
        List<Candidate> suited = candidates.stream()
                .filter(workload::suits)
                // With defaults nothing may happen for seconds, until the first poll.
                .filter(candidate -> candidate.usesDefaults() == workload.isFreeOfNoise())
                .toList();
        List<Measurement> measurements = workload.measure(server, suited, Scale.TINY);
        assertThat(measurements)
                .extracting(measurement -> measurement.subject().candidate())
                .hasSameElementsAs(suited.stream().map(Candidate::name).toList());
        assertThat(measurements).allSatisfy(Smoke::isComplete);
    }

    private static void isComplete(Measurement measurement) {
        assertThat(measurement.values()).isNotEmpty();
        assertThat(measurement.check().arrived())
                .as(measurement.toString())
                .isEqualTo(measurement.check().expected());
        assertThat(measurement.check().duplicates()).isZero();
        if (measurement.values().containsKey(Metric.RATE)) {
            assertThat(measurement.values().get(Metric.RATE)).isPositive();
        }
    }
}
