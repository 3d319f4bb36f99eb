package outbox.poller;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class IdleBackoffTest {

    @Test
    void the_pause_doubles_while_nothing_is_found_up_to_ten_times_the_interval() {
        IdleBackoff backoff = new IdleBackoff(Duration.ofMillis(50));

        assertThat(Stream.generate(() -> {
                            long pause = backoff.pause().toMillis();
                            backoff.polled(false);
                            return pause;
                        })
                        .limit(6))
                .containsExactly(50L, 100L, 200L, 400L, 500L, 500L);
    }

    @Test
    void it_is_the_interval_again_when_something_was_found() {
        IdleBackoff backoff = new IdleBackoff(Duration.ofMillis(50));
        backoff.polled(false);
        backoff.polled(false);
        backoff.polled(true);

        assertThat(backoff.pause()).isEqualTo(Duration.ofMillis(50));
    }

    @ParameterizedTest
    @CsvSource({"1000, 5000", "500, 5000", "499, 4990", "5000, 5000", "60000, 60000"})
    void it_never_exceeds_five_seconds_unless_the_interval_does(long intervalMs, long longestMs) {
        IdleBackoff backoff = new IdleBackoff(Duration.ofMillis(intervalMs));
        for (int i = 0; i < 20; i++) {
            backoff.polled(false);
        }

        assertThat(backoff.pause()).isEqualTo(Duration.ofMillis(longestMs));
    }
}
