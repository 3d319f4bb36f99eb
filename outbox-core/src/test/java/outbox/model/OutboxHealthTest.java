package outbox.model;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutboxHealthTest {

    @Test
    void healthy_is_what_has_no_problem_and_problems_add_up() {
        OutboxHealth one = new OutboxHealth(List.of("one"));
        OutboxHealth two = new OutboxHealth(List.of("two"));

        assertThat(OutboxHealth.HEALTHY.healthy()).isTrue();
        assertThat(one.healthy()).isFalse();
        assertThat(OutboxHealth.HEALTHY.and(OutboxHealth.HEALTHY).healthy()).isTrue();
        assertThat(one.and(OutboxHealth.HEALTHY).and(two).problems()).containsExactly("one", "two");
    }

    @Test
    void warnings_add_up_and_make_nobody_ill_and_each_part_adds_the_figures_that_it_knows() {
        Instant poll = Instant.parse("2026-01-01T00:00:00Z");
        OutboxFigures polled = new OutboxFigures(poll, null, 1, Relaying.SOMEBODY, null);
        OutboxFigures delivered = new OutboxFigures(null, poll.plusSeconds(1), 2, Relaying.UNKNOWN, null);
        OutboxHealth both = new OutboxHealth(List.of(), List.of("careful"), polled)
                .and(new OutboxHealth(List.of(), List.of("slow"), delivered));

        assertThat(both.healthy()).isTrue();
        assertThat(both.warnings()).containsExactly("careful", "slow");
        assertThat(both.figures()).isEqualTo(new OutboxFigures(poll, poll.plusSeconds(1), 3, Relaying.SOMEBODY, null));
        assertThat(OutboxHealth.HEALTHY.figures()).isEqualTo(OutboxFigures.NONE);
    }
}
