package outbox.proof;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.proof.consumer.Consuming;
import outbox.proof.database.DatabaseKind;
import outbox.proof.fault.FaultKind;
import outbox.proof.fault.FaultPlan;
import outbox.proof.history.Violation;
import outbox.proof.node.Configuration;
import outbox.proof.report.ProofReport;
import outbox.proof.report.SoakReport;
import outbox.proof.run.Campaign;
import outbox.proof.run.Databases;
import outbox.proof.run.Round;
import outbox.proof.run.RoundResult;
import outbox.proof.run.RoundSettings;
import outbox.proof.run.Soak;
import outbox.proof.run.SoakResult;

import static org.assertj.core.api.Assertions.assertThat;

/** The short form of {@code ./outbox proof}; {@code -Dproof.seed} runs the faults of an earlier run again. */
@Timeout(300)
class ProofIT {

    private static final Duration SHORT = Duration.ofSeconds(24);
    private static final int EVENTS_PER_SECOND = 300;

    /** Not a temporary directory: when a promise is broken, the journals are needed. */
    private static final Path DIRECTORY = Path.of("target", "proof").toAbsolutePath();

    private final long seed = Long.getLong("proof.seed", System.nanoTime());

    @ParameterizedTest
    @MethodSource("outbox.proof.database.DatabaseKind#forAnyFault")
    void under_faults_all_promises_are_kept(DatabaseKind kind) throws Exception {
        Campaign.Load load = new Campaign.Load(EVENTS_PER_SECOND, EnumSet.allOf(FaultKind.class));
        List<RoundResult> rounds = new Campaign(kind, SHORT, seed, load, DIRECTORY).run(round -> {});

        Map<DatabaseKind, List<RoundResult>> results = new EnumMap<>(DatabaseKind.class);
        results.put(kind, rounds);
        System.out.println("PROOF " + new ProofReport("-Dproof.seed=" + seed, results).markdownOfTotals());
        assertThat(rounds).allSatisfy(round -> {
            assertThat(round.verdict().describe()).as("seed " + seed).isEmpty();
            assertThat(round.committed()).isGreaterThan(100);
            assertThat(round.deliveries()).isGreaterThanOrEqualTo(round.committed());
            assertThat(round.effects()).isGreaterThan(20);
            assertThat(round.faultCount()).isPositive();
        });
    }

    @ParameterizedTest
    @MethodSource("outbox.proof.database.DatabaseKind#forAnyFault")
    void tables_of_the_first_version_are_migrated_in_mid_flight(DatabaseKind kind) throws Exception {
        RoundSettings settings = new RoundSettings(
                DIRECTORY.resolve("migrated-" + kind.label() + "-" + seed),
                Duration.ofSeconds(6),
                RoundSettings.SHORT_LEASE,
                Map.of("org_outbox", Configuration.HOT, "hrm_outbox", Configuration.DELETING),
                "hrm_outbox",
                Consuming.BATCH,
                EVENTS_PER_SECOND,
                new Random(seed));
        FaultPlan.Step migration =
                new FaultPlan.Step(Duration.ofSeconds(3), FaultKind.MIGRATE_TABLES, 0, Duration.ZERO);
        RoundResult round;
        try (Databases databases = Databases.start(kind)) {
            round = Round.run(databases, settings, List.of(migration));
        }

        System.out.println("PROOF " + kind.label() + ", migrated under load, seed " + seed + ": " + round);
        assertThat(round.verdict().describe()).as("seed " + seed).isEmpty();
        assertThat(round.faults()).containsOnlyKeys(FaultKind.MIGRATE_TABLES);
        assertThat(round.committed()).isGreaterThan(100);
    }

    /** The random rounds have these configurations and faults in turn, and hardly in a short run; so here they come for certain. */
    @ParameterizedTest
    @MethodSource("outbox.proof.database.DatabaseKind#forAnyFault")
    void stages_and_batches_bear_what_befalls_their_receivers_and_processes(DatabaseKind kind) throws Exception {
        boolean orderedStages = new Random(seed).nextBoolean();
        RoundSettings settings = new RoundSettings(
                DIRECTORY.resolve("listeners-" + kind.label() + "-" + seed),
                Duration.ofSeconds(16),
                RoundSettings.SHORT_LEASE,
                orderedStages
                        ? Map.of("org_outbox", Configuration.ORDERED_STAGES, "hrm_outbox", Configuration.BATCHES)
                        : Map.of("org_outbox", Configuration.ORDERED_BATCHES, "hrm_outbox", Configuration.STAGES),
                "hrm_outbox",
                Consuming.BATCH,
                EVENTS_PER_SECOND,
                new Random(seed));
        List<FaultPlan.Step> steps = List.of(
                step(1_000, FaultKind.RECEIVER_AWAY, 0, 15_000),
                step(1_500, FaultKind.LISTENERS_HANG, 1, 2_000),
                step(4_000, FaultKind.LISTENER_OUTLIVES_LEASE, 1, 11_000),
                step(5_000, FaultKind.LISTENERS_THROW, 2, 1_000),
                step(8_000, FaultKind.RESTART_PROCESS, 2, 0),
                step(12_000, FaultKind.KILL_PROCESS, 1, 0));
        RoundResult round;
        try (Databases databases = Databases.start(kind)) {
            round = Round.run(databases, settings, steps);
        }

        System.out.println("PROOF " + kind.label() + ", stages and batches, seed " + seed + ": " + round);
        assertThat(round.verdict().describe()).as("seed " + seed).isEmpty();
        assertThat(round.faults()).hasSize(steps.size());
        assertThat(round.committed()).isGreaterThan(100);
    }

    private static FaultPlan.Step step(int atMillis, FaultKind kind, int node, int millis) {
        return new FaultPlan.Step(Duration.ofMillis(atMillis), kind, node, Duration.ofMillis(millis));
    }

    /** Too short to tell whether something grows; but what is told of a long time is told here as well. */
    @Test
    void a_soak_samples_its_nodes_and_keeps_all_promises() throws Exception {
        SoakResult result =
                new Soak(DatabaseKind.POSTGRESQL, Duration.ofSeconds(6), seed, EVENTS_PER_SECOND, DIRECTORY).run();

        System.out.println("PROOF soak, seed " + seed + "\n" + new SoakReport(result).text());
        assertThat(result.verdict().describe()).isEmpty();
        assertThat(result.verdict().count(Violation.Kind.LOST)).isZero();
        assertThat(result.committed()).isGreaterThan(100);
        assertThat(result.samples())
                .hasSize(5) // three nodes, two consumers
                .allSatisfy((node, samples) -> assertThat(samples)
                        .hasSizeGreaterThan(10)
                        .allSatisfy(sample -> assertThat(sample.kilobytes()).isPositive()));
    }
}
