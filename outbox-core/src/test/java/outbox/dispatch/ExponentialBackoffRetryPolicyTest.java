package outbox.dispatch;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ExponentialBackoffRetryPolicyTest {

    private static final double LOWEST = 0.0;
    private static final double MIDDLE = 0.5;
    private static final double HIGHEST = Math.nextDown(1.0);

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void without_a_failure_there_is_no_delay(int attempts) {
        assertThat(policy(200, 60_000, MIDDLE).computeDelayMs(attempts)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1,200", "2,400", "3,800", "4,1600", "8,25600", "9,51200", "10,60000", "11,60000"})
    void each_failure_doubles_the_delay_up_to_the_maximum(int attempts, long expected) {
        assertThat(policy(200, 60_000, MIDDLE).computeDelayMs(attempts)).isEqualTo(expected);
    }

    @Test
    void jitter_is_a_factor_between_a_half_and_one_and_a_half() {
        assertThat(policy(200, 60_000, LOWEST).computeDelayMs(1)).isEqualTo(100);
        assertThat(policy(200, 60_000, HIGHEST).computeDelayMs(1)).isEqualTo(300);
        assertThat(policy(200, 60_000, LOWEST).computeDelayMs(3)).isEqualTo(400);
        assertThat(policy(200, 60_000, HIGHEST).computeDelayMs(3)).isEqualTo(1200);
    }

    @Test
    void jitter_does_not_exceed_the_maximum() {
        assertThat(policy(200, 60_000, HIGHEST).computeDelayMs(10)).isEqualTo(60_000);
        assertThat(policy(200, 60_000, LOWEST).computeDelayMs(10)).isEqualTo(30_000);
        assertThat(policy(200, 250, HIGHEST).computeDelayMs(1)).isEqualTo(250);
    }

    @Test
    void no_number_of_attempts_overflows() {
        ExponentialBackoffRetryPolicy usual = policy(200, 60_000, MIDDLE);
        ExponentialBackoffRetryPolicy extreme = policy(1, Long.MAX_VALUE, HIGHEST);
        long previous = 0;
        for (int attempts = 1; attempts <= 200; attempts++) {
            assertThat(usual.computeDelayMs(attempts)).isBetween(200L, 60_000L);
            assertThat(extreme.computeDelayMs(attempts)).isGreaterThanOrEqualTo(previous);
            previous = extreme.computeDelayMs(attempts);
        }
        assertThat(usual.computeDelayMs(Integer.MAX_VALUE)).isEqualTo(60_000);
        assertThat(extreme.computeDelayMs(Integer.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(policy(Long.MAX_VALUE, Long.MAX_VALUE, HIGHEST).computeDelayMs(2))
                .isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "62,2305843009213693952", "63,4611686018427387904"})
    void the_largest_doublings_are_exact(int attempts, long expected) {
        assertThat(policy(1, Long.MAX_VALUE, MIDDLE).computeDelayMs(attempts)).isEqualTo(expected);
    }

    @Test
    void a_base_above_the_maximum_gives_the_maximum() {
        assertThat(policy(1_000, 10, MIDDLE).computeDelayMs(1)).isEqualTo(10);
        assertThat(policy(10, 10, MIDDLE).computeDelayMs(1)).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 63, 64, 65, Integer.MAX_VALUE})
    void a_base_of_zero_means_no_delay_however_often_it_failed(int attempts) {
        assertThat(policy(0, 60_000, MIDDLE).computeDelayMs(attempts)).isZero();
    }

    @Test
    void the_usual_random_source_spreads_the_delay_within_the_bounds() {
        ExponentialBackoffRetryPolicy policy = new ExponentialBackoffRetryPolicy(200, 60_000);
        Set<Long> delays = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            delays.add(policy.computeDelayMs(1));
        }

        assertThat(delays).hasSizeGreaterThan(50).allMatch(delay -> delay >= 100 && delay <= 300);
    }

    @Test
    void negative_settings_are_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExponentialBackoffRetryPolicy(-1, 1))
                .withMessage("baseDelayMs must be >= 0, was -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExponentialBackoffRetryPolicy(1, -1))
                .withMessage("maxDelayMs must be >= 0, was -1");
    }

    private static ExponentialBackoffRetryPolicy policy(long base, long max, double random) {
        return new ExponentialBackoffRetryPolicy(base, max, () -> random);
    }
}
