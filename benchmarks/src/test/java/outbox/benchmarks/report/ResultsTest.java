package outbox.benchmarks.report;

import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;

import static org.assertj.core.api.Assertions.assertThat;

class ResultsTest {

    private static final DatabaseKind DATABASE = DatabaseKind.POSTGRESQL;

    private final Results results = new Results(List.of(
            Samples.rate("drain", "slow", Role.PEER, 10),
            Samples.rate("drain", "outbox", Role.OURS, 100),
            Samples.rate("drain", "floor", Role.FLOOR, 120),
            Samples.rate("drain", "fast", Role.PEER, 50),
            Samples.rate("drain", "outbox", Role.OURS, 300),
            Samples.rate("drain", "outbox", Role.OURS, 110)));

    @Test
    void repetitions_become_their_median() {
        assertThat(results.value(DATABASE, "drain", "outbox", Metric.RATE)).contains(110.0);
        assertThat(results.value(DATABASE, "drain", "outbox", Metric.WAL_BYTES)).isEmpty();
        assertThat(results.value(DATABASE, "drain", "nobody", Metric.RATE)).isEmpty();
    }

    @Test
    void floors_come_first_then_ours_then_peers_from_fast_to_slow() {
        assertThat(results.of(DATABASE, "drain"))
                .extracting(summary -> summary.subject().candidate())
                .containsExactly("floor", "outbox", "fast", "slow");
    }

    @Test
    void the_best_peer_is_the_fastest() {
        assertThat(results.bestPeer(DATABASE, "drain"))
                .map(summary -> summary.subject().candidate())
                .contains("fast");
        assertThat(results.bestPeer(DATABASE, "write-1")).isEmpty();
    }

    @Test
    void checks_of_repetitions_add_up() {
        assertThat(results.of(DATABASE, "drain").get(1).check()).isEqualTo(new Measurement.Check(30, 30, 0, false));
    }
}
