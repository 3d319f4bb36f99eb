package outbox.proof.report;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.proof.consumer.Consuming;
import outbox.proof.database.DatabaseKind;
import outbox.proof.fault.FaultKind;
import outbox.proof.history.Verdict;
import outbox.proof.history.Violation;
import outbox.proof.node.Configuration;
import outbox.proof.run.RoundResult;

import static org.assertj.core.api.Assertions.assertThat;

class ProofReportTest {

    private static RoundResult round(Violation... violations) {
        return roundBeside(null, violations);
    }

    private static RoundResult roundBeside(String commit, Violation... violations) {
        return new RoundResult(
                DatabaseKind.MYSQL,
                commit,
                Map.of("org_outbox", Configuration.ORDERED_DELETING),
                "org_outbox",
                Consuming.LEASE,
                Map.of(FaultKind.KILL_PROCESS, 2),
                10_000,
                1_000,
                10_500,
                9_000,
                new RoundResult.Decisions(0, 0, 2_500),
                new Verdict(List.of(violations), 7),
                Duration.ofMillis(1_450),
                Duration.ofSeconds(55));
    }

    private static ProofReport report() {
        return new ProofReport(
                "./outbox proof",
                Map.of(
                        DatabaseKind.MYSQL,
                        List.of(
                                round(),
                                round(
                                        new Violation(Violation.Kind.LOST, "a"),
                                        new Violation(Violation.Kind.EFFECT_REPEATED, "b"),
                                        new Violation(Violation.Kind.UNHEARD, "c"),
                                        new Violation(Violation.Kind.UNHEARD, "d"),
                                        new Violation(Violation.Kind.STALLED, "e"),
                                        new Violation(Violation.Kind.OVERLAPPING, "f"),
                                        new Violation(Violation.Kind.LEAKED, "g")))));
    }

    @Test
    void rounds_and_their_sum_are_told_in_a_table() {
        assertThat(report().markdown())
                .contains("`./outbox proof`")
                .contains(
                        "| mysql 1 | ordered deleting (consumed, lease) | 2 | 10,000 | 1,000 | 10,500 | 0 | 0 | 0 | 0 | 0 | 0 | 7 | 0 | 9,000 | 0 | 0 | 0 | 1.5 s |")
                .contains(
                        "| mysql 2 | ordered deleting (consumed, lease) | 2 | 10,000 | 1,000 | 10,500 | 1 | 0 | 0 | 0 | 2 | 1 | 7 | 0 | 9,000 | 0 | 1 | 2 | 1.5 s |")
                .contains(
                        "| **mysql** |  | 4 | 20,000 | 2,000 | 21,000 | 1 | 0 | 0 | 0 | 2 | 1 | 14 | 0 | 18,000 | 0 | 1 | 2 | 1.5 s |")
                .contains("Faults: kill process 4.");
    }

    @Test
    void what_is_not_checked_beside_an_older_node_is_told() {
        ProofReport report =
                new ProofReport("./outbox proof", Map.of(DatabaseKind.MYSQL, List.of(roundBeside("337181f"))));

        assertThat(report.markdown()).contains("| 10,500 | 0 | 0 | 0 | 0 | not checked | 0 | 7 | 0 |");
        assertThat(report.json()).contains("\"unheard\": null, \"stalled\": 0");
    }

    @Test
    void programs_are_told_the_same() {
        assertThat(report().json())
                .contains("\"command\": \"./outbox proof\"")
                .contains("\"database\": \"mysql\"")
                .contains("\"faults\": {\"kill process\": 2}")
                .contains("\"lost\": 1")
                .contains("\"effects\": 9000, \"effectsMissing\": 0, \"effectsRepeated\": 1")
                .contains("\"unheard\": 2, \"stalled\": 1")
                .contains("\"longestQueueBehindDead\": 2500")
                .contains("\"withoutProgressMillis\": 1450");
    }
}
