package outbox.poller;

import java.time.Duration;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WaitingBackoffTest {

    private final WaitingBackoff looks = new WaitingBackoff(Duration.ofMillis(100));

    @Test
    void nobody_looks_again_when_nobody_waits() {
        assertThat(looks.polled(false, false)).isFalse();
        assertThat(looks.polled(true, false)).isFalse();
    }

    @Test
    void those_that_wait_are_looked_for_soon_after_others_were_found() {
        assertThat(looks.polled(true, true)).isTrue();
        assertThat(looks.pause()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void they_are_looked_for_less_and_less_often_and_then_left_to_the_interval() {
        looks.polled(true, true);

        assertThat(looks.polled(false, true)).isTrue();
        assertThat(looks.pause()).isEqualTo(Duration.ofMillis(20));
        assertThat(looks.polled(false, true)).isTrue();
        assertThat(looks.pause()).isEqualTo(Duration.ofMillis(40));
        assertThat(looks.polled(false, true)).isTrue();
        assertThat(looks.pause()).isEqualTo(Duration.ofMillis(80));
        assertThat(looks.polled(false, true)).isFalse();
        assertThat(looks.polled(false, true)).isFalse();
    }

    @Test
    void they_are_looked_for_soon_again_after_something_was_found_or_nobody_waited() {
        looks.polled(false, true);
        looks.polled(false, true);
        looks.polled(false, false);
        assertThat(looks.pause()).isEqualTo(Duration.ofMillis(10));
        looks.polled(false, true);
        assertThat(looks.polled(true, true)).isTrue();
        assertThat(looks.pause()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void it_never_ends_however_long_others_wait() {
        WaitingBackoff looks = new WaitingBackoff(Duration.ofSeconds(5));
        for (int i = 0; i < 200; i++) {
            looks.polled(false, true);
        }

        assertThat(looks.pause()).isEqualTo(Duration.ofSeconds(5));
    }
}
