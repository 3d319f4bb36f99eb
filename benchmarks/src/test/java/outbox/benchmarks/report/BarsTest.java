package outbox.benchmarks.report;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;

import static org.assertj.core.api.Assertions.assertThat;

class BarsTest {

    @Test
    void a_bar_at_its_limit_holds() {
        assertThat(judge("drain, mark DONE: × floor", floorAndOurs("drain", 100, 60)))
                .isEqualTo(Bar.Outcome.PASS);
        assertThat(judge("drain, mark DONE: × floor", floorAndOurs("drain", 100, 59)))
                .isEqualTo(Bar.Outcome.FAIL);
    }

    @Test
    void a_bar_about_cost_is_the_most_that_is_allowed() {
        String bar = "hot path, 8 producers: commits/event";
        assertThat(judge(bar, List.of(ours("end-to-end-8", Metric.COMMITS, 1.15))))
                .isEqualTo(Bar.Outcome.PASS);
        assertThat(judge(bar, List.of(ours("end-to-end-8", Metric.COMMITS, 1.16))))
                .isEqualTo(Bar.Outcome.FAIL);
    }

    @Test
    void a_bar_about_peers_looks_at_the_best_of_them() {
        List<Measurement> measurements = List.of(
                Samples.rate("end-to-end-8", "outbox", Role.OURS, 170),
                Samples.rate("end-to-end-8", "weak", Role.PEER, 10),
                Samples.rate("end-to-end-8", "strong", Role.PEER, 100));
        assertThat(judge("end-to-end, 8 producers: × best peer", measurements)).isEqualTo(Bar.Outcome.FAIL);
    }

    @Test
    void order_is_compared_with_what_was_measured_in_the_same_turns() {
        List<Measurement> measurements = List.of(
                Samples.rate("end-to-end-8-ordered", "outbox", Role.OURS, 100),
                Samples.rate("end-to-end-8-ordered", "outbox-ordered-10000", Role.OURS, 84),
                Samples.rate("end-to-end-8", "outbox", Role.OURS, 10));
        assertThat(judge("end-to-end in order, 8 producers, 10,000 keys: × without order", measurements))
                .isEqualTo(Bar.Outcome.FAIL);
    }

    @Test
    void the_floor_of_another_database_is_its_own() {
        List<Measurement> measurements = List.of(
                rate(DatabaseKind.MYSQL, "floor", Role.FLOOR, 10),
                rate(DatabaseKind.MYSQL, "outbox", Role.OURS, 6),
                rate(DatabaseKind.POSTGRESQL, "floor", Role.FLOOR, 1000));
        assertThat(judge("mysql, drain: × floor", measurements)).isEqualTo(Bar.Outcome.PASS);
    }

    @Test
    void nothing_is_judged_that_was_not_measured() {
        Results nothing = new Results(List.of());
        assertThat(Bars.all())
                .allSatisfy(bar -> assertThat(bar.judge(nothing).outcome()).isEqualTo(Bar.Outcome.NOT_MEASURED));
    }

    private static Bar.Outcome judge(String text, List<Measurement> measurements) {
        return Bars.all().stream()
                .filter(bar -> bar.text().equals(text))
                .findFirst()
                .orElseThrow()
                .judge(new Results(measurements))
                .outcome();
    }

    private static List<Measurement> floorAndOurs(String workload, double floor, double ours) {
        return List.of(
                Samples.rate(workload, "floor", Role.FLOOR, floor), Samples.rate(workload, "outbox", Role.OURS, ours));
    }

    private static Measurement ours(String workload, Metric metric, double value) {
        return Samples.measurement(workload, "outbox", Role.OURS, metric, value);
    }

    private static Measurement rate(DatabaseKind database, String candidate, Role role, double rate) {
        return Samples.measurement(database, "drain", candidate, role, Map.of(Metric.RATE, rate));
    }
}
