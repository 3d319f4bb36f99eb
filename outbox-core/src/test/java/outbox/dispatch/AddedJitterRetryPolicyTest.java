package outbox.dispatch;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class AddedJitterRetryPolicyTest {

    private static final double LOWEST = 0.0;
    private static final double HIGHEST = Math.nextDown(1.0);

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void without_a_failure_there_is_no_delay(int attempts) {
        assertThat(usual(HIGHEST).computeDelayMs(attempts)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1,1000", "2,2000", "3,4000", "6,32000", "7,60000", "8,60000", "25,60000", "2147483647,60000"})
    void each_failure_doubles_the_delay_up_to_a_minute(int attempts, long expected) {
        assertThat(usual(LOWEST).computeDelayMs(attempts)).isEqualTo(expected);
        assertThat(usual(HIGHEST).computeDelayMs(attempts)).isEqualTo(expected + 200);
        assertThat(usual(0.5).computeDelayMs(attempts)).isEqualTo(expected + 100);
    }

    @Test
    void the_defaults_spread_events_that_failed_together() {
        Set<Long> delays = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            long delay = AddedJitterRetryPolicy.withDefaults().computeDelayMs(1);
            assertThat(delay).isBetween(1_000L, 1_200L);
            delays.add(delay);
        }
        assertThat(delays).hasSizeGreaterThan(50);
    }

    @Test
    void no_times_and_no_number_of_attempts_overflow() {
        AddedJitterRetryPolicy extreme = new AddedJitterRetryPolicy(1, Long.MAX_VALUE, Long.MAX_VALUE, () -> HIGHEST);
        long previous = 0;
        for (int attempts = 1; attempts <= 200; attempts++) {
            assertThat(extreme.computeDelayMs(attempts)).isGreaterThanOrEqualTo(previous);
            previous = extreme.computeDelayMs(attempts);
        }
        assertThat(extreme.computeDelayMs(Integer.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void a_random_source_outside_of_its_range_does_not_lead_outside_of_the_delays() {
        assertThat(usual(-3).computeDelayMs(1)).isEqualTo(1_000);
        assertThat(usual(3).computeDelayMs(1)).isEqualTo(1_200);
        assertThat(usual(Double.NaN).computeDelayMs(1)).isEqualTo(1_000);
    }

    @Test
    void without_times_there_is_no_delay() {
        assertThat(new AddedJitterRetryPolicy(0, 60_000, 0, () -> HIGHEST).computeDelayMs(9))
                .isZero();
    }

    @Test
    void nonsense_is_refused_by_name_and_value() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AddedJitterRetryPolicy(-1, 1, 1))
                .withMessage("baseDelayMs must be >= 0, was -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AddedJitterRetryPolicy(0, -2, 1))
                .withMessage("maxDelayMs must be >= 0, was -2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AddedJitterRetryPolicy(0, 1, -3))
                .withMessage("maxJitterMs must be >= 0, was -3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AddedJitterRetryPolicy(5, 4, 0))
                .withMessage("maxDelayMs must be >= baseDelayMs, was 4 with a baseDelayMs of 5");
        assertThatNullPointerException()
                .isThrownBy(() -> new AddedJitterRetryPolicy(1, 1, 1, null))
                .withMessage("random");
    }

    private static AddedJitterRetryPolicy usual(double random) {
        return new AddedJitterRetryPolicy(1_000, 60_000, 200, () -> random);
    }
}
