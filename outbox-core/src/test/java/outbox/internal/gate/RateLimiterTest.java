package outbox.internal.gate;

import java.time.Duration;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RateLimiterTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final RateLimiter limiter = new RateLimiter(10, Duration.ofSeconds(1));

    /** Near where it overflows, as the time of the JVM may be. */
    private long now = Long.MAX_VALUE - SECOND / 2;

    @Test
    void as_many_as_allowed_pass_at_once_and_the_next_one_waits_for_its_share_of_the_time() {
        for (int i = 0; i < 10; i++) {
            assertThat(limiter.tryPass(now)).isZero();
        }

        assertThat(limiter.tryPass(now)).isEqualTo(SECOND / 10);
        now += SECOND / 10;
        assertThat(limiter.tryPass(now)).isZero();
        assertThat(limiter.tryPass(now)).isEqualTo(SECOND / 10);
    }

    @Test
    void no_more_than_allowed_have_piled_up_after_a_long_time() {
        limiter.tryPass(now);
        now += 100 * SECOND;
        int passed = 0;
        while (limiter.tryPass(now) == 0) {
            passed++;
        }

        assertThat(passed).isEqualTo(10);
    }

    @Test
    void in_the_long_run_no_more_pass_than_allowed() {
        int passed = 0;
        for (long end = now + 60 * SECOND; end - now > 0; now += SECOND / 1_000) {
            if (limiter.tryPass(now) == 0) {
                passed++;
            }
        }

        assertThat(passed).isBetween(600, 610);
    }
}
