package outbox.model;

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
}
