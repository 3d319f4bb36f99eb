package outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import outbox.testsupport.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class DueTimesTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final ManualClock clock = new ManualClock(NOON.toString());
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final PollRequests pollRequests = new PollRequests(() -> 1, () -> 1, clock);

    DueTimesTest() {
        pollRequests.add(trigger);
    }

    @Test
    void only_the_first_time_is_asked_for() {
        pollRequests.delayedUntil(NOON.plusSeconds(5));
        pollRequests.delayedUntil(NOON.plusSeconds(9));
        pollRequests.delayedUntil(NOON.plusSeconds(5));
        assertThat(trigger.requests).containsExactly("2026-01-01T12:00:05.010Z");
        pollRequests.delayed(Duration.ofSeconds(1));

        assertThat(trigger.requests).containsExactly("2026-01-01T12:00:05.010Z", "2026-01-01T12:00:01.010Z");
    }

    @Test
    void the_next_time_is_asked_for_when_the_first_has_come() {
        pollRequests.delayedUntil(NOON.plusSeconds(1));
        pollRequests.delayedUntil(NOON.plusSeconds(2));
        pollRequests.pollStarting();
        assertThat(trigger.requests).hasSize(1);
        clock.advance(Duration.ofMillis(1_010));
        pollRequests.pollStarting();
        assertThat(trigger.requests).containsExactly("2026-01-01T12:00:01.010Z", "2026-01-01T12:00:02.010Z");
        clock.advance(Duration.ofSeconds(5));
        pollRequests.pollStarting();

        assertThat(trigger.requests).hasSize(2);
    }

    @Test
    void of_very_many_times_the_last_ones_are_left_to_the_interval() {
        for (int i = 20_000; i > 0; i--) {
            pollRequests.delayedUntil(NOON.plusMillis(i * 10L));
        }
        trigger.requests.clear();
        clock.advance(Duration.ofMillis(10_000 * 10L + 10));
        pollRequests.pollStarting();

        assertThat(trigger.requests).isEmpty();
    }
}
