package outbox.benchmarks;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.database.DatabaseKind;
import outbox.benchmarks.workload.Scale;
import outbox.benchmarks.workload.Workload;

import static org.assertj.core.api.Assertions.assertThat;

class PlanTest {

    private final Plan brief = new Plan(false, Set.of(), Set.of());
    private final Plan full = new Plan(true, Set.of(), Set.of());

    @Test
    void the_short_form_has_peers_where_bars_ask_for_them_and_once() {
        assertThat(names(brief, "drain", 0))
                .contains("floor", "outbox", "db-scheduler")
                .doesNotContain("outbox-defaults");
        assertThat(names(brief, "drain", 1)).contains("floor", "outbox").doesNotContain("db-scheduler");
        assertThat(names(brief, "write-8", 0)).containsExactly("floor", "outbox");
    }

    @Test
    void the_full_form_has_everybody_in_every_round() {
        assertThat(names(full, "drain", 4)).contains("db-scheduler", "db-scheduler-defaults", "outbox-defaults");
        assertThat(names(full, "write-8", 1)).contains("gruelbox").doesNotContain("gruelbox-defaults", "floor-delete");
    }

    @Test
    void idleness_is_a_matter_of_defaults() {
        assertThat(names(brief, "idle", 0))
                .contains("outbox-defaults", "modulith-defaults")
                .doesNotContain("outbox");
    }

    @Test
    void other_databases_have_no_peers_and_in_the_short_form_only_the_drain() {
        assertThat(brief.workloadsOn(DatabaseKind.MYSQL, Scale.SHORT))
                .extracting(Workload::name)
                .containsExactly("drain");
        Workload drain = full.workloadsOn(DatabaseKind.MYSQL, Scale.FULL).get(0);
        assertThat(full.candidatesFor(drain, DatabaseKind.MYSQL, 0))
                .extracting(Candidate::name)
                .containsExactly(
                        "floor",
                        "floor-delete",
                        "outbox",
                        "outbox-delete",
                        "outbox-ordered-1",
                        "outbox-ordered-100",
                        "outbox-ordered-10000",
                        "outbox-defaults");
    }

    @Test
    void in_the_short_form_order_takes_part_on_postgresql_over_many_keys() {
        assertThat(names(brief, "drain", 0)).contains("outbox-ordered-100", "outbox-ordered-10000");
        assertThat(names(brief, "drain", 0)).doesNotContain("outbox-ordered-1");
        assertThat(names(brief, "latency", 0)).contains("outbox-ordered-10000").doesNotContain("outbox-ordered-100");
        Workload drain = brief.workloadsOn(DatabaseKind.H2, Scale.SHORT).get(0);
        assertThat(brief.candidatesFor(drain, DatabaseKind.H2, 0))
                .extracting(Candidate::name)
                .noneMatch(name -> name.contains("ordered"));
    }

    @Test
    void with_and_without_order_are_compared_in_one_workload() {
        assertThat(names(brief, "end-to-end-8-ordered", 0)).containsExactly("outbox", "outbox-ordered-10000");
        assertThat(names(full, "write-8-ordered", 1)).containsExactly("outbox", "outbox-ordered-10000");
    }

    @Test
    void what_was_asked_for_is_what_is_done() {
        Plan asked = new Plan(false, Set.of("end-to-end"), Set.of("gruelbox"));
        assertThat(asked.workloadsOn(DatabaseKind.H2, Scale.SHORT))
                .extracting(Workload::name)
                .containsExactly("end-to-end-1", "end-to-end-4", "end-to-end-8");
        assertThat(names(asked, "end-to-end-1", 0)).containsExactly("gruelbox");
    }

    private static List<String> names(Plan plan, String workload, int round) {
        Workload found = plan.workloadsOn(DatabaseKind.POSTGRESQL, Scale.FULL).stream()
                .filter(candidate -> candidate.name().equals(workload))
                .findFirst()
                .orElseThrow();
        return plan.candidatesFor(found, DatabaseKind.POSTGRESQL, round).stream()
                .map(Candidate::name)
                .toList();
    }
}
