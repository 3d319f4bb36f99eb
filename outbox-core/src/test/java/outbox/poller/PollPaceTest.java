package outbox.poller;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PollPaceTest {

    private final PollPace pace = new PollPace(Duration.ofMillis(100), 100);

    @Test
    void the_pause_doubles_while_nothing_is_found_up_to_ten_times_the_interval() {
        PollPace pace = new PollPace(Duration.ofMillis(50), 100);

        assertThat(Stream.generate(() -> {
                            long pause = pace.pause().toMillis();
                            pace.polled(false);
                            return pause;
                        })
                        .limit(6))
                .containsExactly(50L, 100L, 200L, 400L, 500L, 500L);
    }

    @Test
    void it_is_the_interval_again_when_something_was_found() {
        PollPace pace = new PollPace(Duration.ofMillis(50), 100);
        pace.polled(false);
        pace.polled(false);
        pace.polled(true);

        assertThat(pace.pause()).isEqualTo(Duration.ofMillis(50));
    }

    @ParameterizedTest
    @CsvSource({"1000, 5000", "500, 5000", "499, 4990", "5000, 5000", "60000, 60000"})
    void it_never_exceeds_five_seconds_unless_the_interval_does(long intervalMs, long longestMs) {
        PollPace pace = new PollPace(Duration.ofMillis(intervalMs), 100);
        for (int i = 0; i < 20; i++) {
            pace.polled(false);
        }

        assertThat(pace.pause()).isEqualTo(Duration.ofMillis(longestMs));
    }

    @Test
    void nobody_looks_again_when_nobody_waits() {
        assertThat(pace.looksAgain(false, false)).isFalse();
        assertThat(pace.looksAgain(true, false)).isFalse();
    }

    @Test
    void those_that_wait_are_looked_for_soon_after_others_were_found() {
        assertThat(pace.looksAgain(true, true)).isTrue();
        assertThat(pace.nextLook()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void they_are_looked_for_less_and_less_often_and_then_left_to_the_interval() {
        pace.looksAgain(true, true);

        assertThat(pace.looksAgain(false, true)).isTrue();
        assertThat(pace.nextLook()).isEqualTo(Duration.ofMillis(20));
        assertThat(pace.looksAgain(false, true)).isTrue();
        assertThat(pace.nextLook()).isEqualTo(Duration.ofMillis(40));
        assertThat(pace.looksAgain(false, true)).isTrue();
        assertThat(pace.nextLook()).isEqualTo(Duration.ofMillis(80));
        assertThat(pace.looksAgain(false, true)).isFalse();
        assertThat(pace.looksAgain(false, true)).isFalse();
    }

    @Test
    void they_are_looked_for_soon_again_after_something_was_found_or_nobody_waited() {
        pace.looksAgain(false, true);
        pace.looksAgain(false, true);
        pace.looksAgain(false, false);
        assertThat(pace.nextLook()).isEqualTo(Duration.ofMillis(10));
        pace.looksAgain(false, true);
        assertThat(pace.looksAgain(true, true)).isTrue();
        assertThat(pace.nextLook()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void it_never_ends_however_long_others_wait() {
        PollPace pace = new PollPace(Duration.ofSeconds(5), 100);
        for (int i = 0; i < 200; i++) {
            pace.looksAgain(false, true);
        }

        assertThat(pace.nextLook()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void a_batch_and_what_there_is_room_for_are_the_limit() {
        assertThat(pace.limit(Integer.MAX_VALUE)).isEqualTo(100);
        assertThat(pace.limit(7)).isEqualTo(7);
        assertThat(pace.limit(-1)).isEqualTo(-1);
    }

    @Test
    void what_did_not_fit_is_halved_until_it_does_and_grows_again_when_it_has() {
        pace.didNotFit(100);
        assertThat(pace.limit(1_000)).isEqualTo(50);
        pace.didNotFit(3);
        assertThat(pace.limit(1_000)).isEqualTo(1);
        pace.didNotFit(1);
        assertThat(pace.limit(1_000)).isEqualTo(1);
        pace.fitted(1, 0);
        assertThat(pace.limit(1_000)).as("an empty poll proves nothing").isEqualTo(1);
        pace.fitted(1, 1);
        assertThat(pace.limit(1_000)).isEqualTo(2);
        pace.fitted(1, 1);
        assertThat(pace.limit(1_000)).as("less than allowed proves nothing").isEqualTo(2);
        for (int i = 0; i < 10; i++) {
            pace.fitted(pace.limit(1_000), pace.limit(1_000));
        }
        assertThat(pace.limit(1_000)).isEqualTo(100);
    }
}
