package outbox.benchmarks;

import java.time.Duration;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimeLeftTest {

    @Test
    void what_was_never_done_is_done_even_if_it_is_too_late() {
        assertThat(new TimeLeft(System.nanoTime() - 1).isEnoughFor("drain")).isTrue();
    }

    @Test
    void what_was_done_is_done_again_if_it_would_end_in_time() {
        TimeLeft plenty = new TimeLeft(System.nanoTime() + Duration.ofHours(1).toNanos());
        TimeLeft none = new TimeLeft(System.nanoTime());
        assertThat(plenty.spendOn("drain", () -> 7)).isEqualTo(7);
        assertThat(none.spendOn("drain", () -> 7)).isEqualTo(7);
        assertThat(plenty.isEnoughFor("drain")).isTrue();
        assertThat(none.isEnoughFor("drain")).isFalse();
    }
}
