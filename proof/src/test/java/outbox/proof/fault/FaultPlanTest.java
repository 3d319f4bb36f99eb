package outbox.proof.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FaultPlanTest {

    private static final Duration LOAD = Duration.ofSeconds(75);
    private static final Duration PAUSE = Duration.ofSeconds(4);
    private static final Set<FaultKind> ALL = EnumSet.allOf(FaultKind.class);

    private static List<FaultPlan.Step> rounds(long seed, int count) {
        FaultPlan plan = new FaultPlan(new Random(seed), ALL);
        List<FaultPlan.Step> steps = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            steps.addAll(plan.round(LOAD, 3, PAUSE, kind -> true));
        }
        return steps;
    }

    @Test
    void the_same_seed_gives_the_same_plan() {
        assertThat(rounds(5, 3)).isEqualTo(rounds(5, 3)).isNotEqualTo(rounds(6, 3));
    }

    @Test
    void steps_come_in_their_order_within_the_load_and_hit_a_node() {
        List<FaultPlan.Step> steps = new FaultPlan(new Random(1), ALL).round(LOAD, 3, PAUSE, kind -> true);

        assertThat(steps).extracting(FaultPlan.Step::at).isSorted().allMatch(at -> at.compareTo(LOAD) < 0);
        assertThat(steps).extracting(FaultPlan.Step::slot).allMatch(slot -> slot >= 0 && slot < 3);
        assertThat(steps).hasSizeGreaterThan(5);
    }

    @Test
    void every_kind_comes_before_one_comes_again() {
        List<FaultPlan.Step> steps = rounds(2, 10);
        int kinds = FaultKind.values().length - 1; // a migration is not at random
        Set<FaultKind> first = EnumSet.noneOf(FaultKind.class);
        steps.subList(0, kinds).forEach(step -> first.add(step.kind()));

        assertThat(first).hasSize(kinds).doesNotContain(FaultKind.MIGRATE_TABLES);
        assertThat(steps).hasSizeGreaterThan(2 * kinds);
    }

    @Test
    void kinds_that_were_not_chosen_do_not_come() {
        Set<FaultKind> chosen = EnumSet.of(FaultKind.FAIL_OVER, FaultKind.FULL_HEAP);

        List<FaultPlan.Step> steps = new FaultPlan(new Random(1), chosen).round(LOAD, 3, PAUSE, kind -> true);

        assertThat(steps).extracting(FaultPlan.Step::kind).containsAll(chosen).allMatch(chosen::contains);
    }

    @Test
    void a_migration_alone_is_no_fault_at_random() {
        assertThat(new FaultPlan(new Random(1), EnumSet.of(FaultKind.MIGRATE_TABLES))
                        .round(LOAD, 3, PAUSE, kind -> true))
                .isEmpty();
    }

    @Test
    void a_fault_that_needs_time_begins_early_enough_or_waits_for_a_longer_round() {
        FaultPlan plan = new FaultPlan(new Random(1), EnumSet.of(FaultKind.HUNG_LISTENERS, FaultKind.KILL_PROCESS));

        assertThat(plan.round(Duration.ofSeconds(12), 3, PAUSE, kind -> true))
                .isNotEmpty()
                .allMatch(step -> step.kind() == FaultKind.KILL_PROCESS);
        assertThat(plan.round(LOAD, 3, PAUSE, kind -> true))
                .filteredOn(step -> step.kind() == FaultKind.HUNG_LISTENERS)
                .isNotEmpty()
                .allMatch(step -> step.at().plus(step.time()).compareTo(LOAD) < 0);
    }

    @Test
    void what_a_round_cannot_have_waits_for_the_next_one() {
        FaultPlan plan = new FaultPlan(new Random(1), EnumSet.of(FaultKind.HELD_BACKLOG, FaultKind.KILL_PROCESS));

        assertThat(plan.round(LOAD, 3, PAUSE, kind -> kind != FaultKind.HELD_BACKLOG))
                .isNotEmpty()
                .allMatch(step -> step.kind() == FaultKind.KILL_PROCESS);
        assertThat(plan.round(LOAD, 3, PAUSE, kind -> true).get(0).kind()).isEqualTo(FaultKind.HELD_BACKLOG);
        assertThat(plan.round(LOAD, 3, PAUSE, kind -> false)).isEmpty();
    }
}
