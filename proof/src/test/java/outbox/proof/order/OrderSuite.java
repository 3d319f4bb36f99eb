package outbox.proof.order;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.proof.consumer.Consuming;
import outbox.proof.database.DatabaseKind;
import outbox.proof.fault.FaultKind;
import outbox.proof.fault.FaultPlan;
import outbox.proof.node.Configuration;
import outbox.proof.run.Databases;
import outbox.proof.run.Round;
import outbox.proof.run.RoundResult;
import outbox.proof.run.RoundSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Thousands of accounts, three processes, kills, pauses and restarts: the events of each account are delivered in the order of their
 * commits, and wait for a person where they shall. {@code -Dproof.seed} runs the faults of an earlier run again.
 */
@Timeout(900)
abstract class OrderSuite {

    /** Short, so that what a dead node had in hand goes on soon. */
    private static final Duration LEASE = Duration.ofSeconds(2);

    static final Duration BEYOND_LEASE = LEASE.multipliedBy(3).dividedBy(2);

    static final int NODES = 3;
    private static final int EVENTS_PER_SECOND = 400;
    private static final String HOLDING = "held_outbox";
    private static final String CONSUMED = "ordered_outbox";

    /** Not a temporary directory: when a promise is broken, the journals are needed. */
    private static final Path DIRECTORY = Path.of("target", "proof").toAbsolutePath();

    private final OrderForm form = OrderForm.ofThisRun();
    private final long seed = Long.getLong("proof.seed", System.nanoTime());
    private final Random random = new Random(seed);

    abstract DatabaseKind kind();

    @Test
    void events_of_an_account_are_delivered_in_the_order_of_their_commits_whatever_dies() throws Exception {
        DatabaseKind kind = kind();
        RoundSettings settings = new RoundSettings(
                DIRECTORY.resolve("order-" + kind.label() + "-" + seed),
                form.load,
                LEASE,
                Map.of(HOLDING, Configuration.HOLDING, CONSUMED, Configuration.ORDERED),
                CONSUMED,
                Consuming.LEASE,
                EVENTS_PER_SECOND,
                new Random(seed));
        RoundResult round;
        try (Databases databases = Databases.start(kind)) {
            round = Round.run(databases, settings, plan());
        }

        System.out.println("ORDER " + kind.label() + ", seed " + seed + ": " + round);
        assertThat(round.verdict().describe()).as("seed " + seed).isEmpty();
        assertThat(round.committed()).isGreaterThan(form.events);
        assertThat(round.faultCount()).isPositive();
        assertThat(round.decisions().discarded() + round.decisions().replayed())
                .as("decisions of the person")
                .isPositive();
    }

    private List<FaultPlan.Step> plan() {
        List<FaultPlan.Step> steps = new ArrayList<>(faults(form));
        steps.sort(Comparator.comparing(FaultPlan.Step::at));
        return steps;
    }

    /** What is done to whom: depends on nothing but the seed. */
    List<FaultPlan.Step> faults(OrderForm form) {
        List<FaultPlan.Step> steps = new ArrayList<>();
        add(steps, FaultKind.KILL_PROCESS, form.kills, Duration.ZERO);
        add(steps, FaultKind.PAUSE_PROCESS, form.pauses, BEYOND_LEASE);
        add(steps, FaultKind.RESTART_PROCESS, form.restarts, Duration.ZERO);
        return steps;
    }

    private void add(List<FaultPlan.Step> steps, FaultKind kind, int count, Duration time) {
        for (int i = 0; i < count; i++) {
            Duration at = Duration.ofMillis(1_000 + random.nextLong(form.load.toMillis() - 2_000));
            steps.add(new FaultPlan.Step(at, kind, random.nextInt(NODES), time));
        }
    }
}
