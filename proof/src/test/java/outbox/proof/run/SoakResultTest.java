package outbox.proof.run;

import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.proof.history.Verdict;
import outbox.proof.history.Violation;
import outbox.proof.report.SoakReport;

import static org.assertj.core.api.Assertions.assertThat;

class SoakResultTest {

    private static final Verdict GOOD = new Verdict(List.of(), 0);

    private static SoakResult result(IntFunction<Sample> sampleAt, Verdict verdict) {
        return new SoakResult(
                Map.of("node", IntStream.range(0, 100).mapToObj(sampleAt).toList()), 1_000, verdict);
    }

    @Test
    void what_grows_only_at_the_beginning_and_wavers_then_is_flat() {
        SoakResult result =
                result(i -> new Sample(i < 20 ? 10_000 : 20_000 + i % 7 * 500, 30, i < 10 ? 5 : 12, i % 50), GOOD);

        assertThat(result.growth()).isEmpty();
        assertThat(result.isGood()).isTrue();
    }

    @Test
    void threads_that_are_there_for_a_moment_have_not_grown() {
        assertThat(result(i -> new Sample(20_000, i == 90 ? 40 : 30, 12, 0), GOOD)
                        .growth())
                .isEmpty();
    }

    @Test
    void growing_memory_is_found() {
        assertThat(result(i -> new Sample(20_000 + i * 300, 30, 12, 0), GOOD).growth())
                .containsExactly("node: memory grew from 31100 to 46100 kB");
    }

    @Test
    void growing_threads_are_found() {
        assertThat(result(i -> new Sample(20_000, 30 + i / 10, 12, 0), GOOD).growth())
                .containsExactly("node: threads grew from 33 to 38");
    }

    @Test
    void growing_connections_are_found() {
        assertThat(result(i -> new Sample(20_000, 30, 4 + i / 20, 0), GOOD).growth())
                .containsExactly("node: connections grew from 5 to 8");
    }

    @Test
    void a_broken_promise_is_not_good_even_if_nothing_grows() {
        Verdict bad = new Verdict(List.of(new Violation(Violation.Kind.LOST, "an event")), 0);
        SoakResult result = result(i -> new Sample(20_000, 30, 12, 0), bad);

        assertThat(result.isGood()).isFalse();
        assertThat(new SoakReport(result).text()).contains("1 violations, nothing grew", "LOST: an event");
    }

    @Test
    void the_chart_shows_the_course_of_each_node() {
        String text = new SoakReport(result(i -> new Sample(i * 1024, 30, 12, 0), GOOD)).text();

        assertThat(text)
                .contains("memory after a collection, MB (full height: 99.0)")
                .containsPattern("node +▁+▂+▃+▄+▅+▆+▇+█+ 99.0")
                .contains("1000 events committed, 0 violations, node: memory grew");
    }
}
