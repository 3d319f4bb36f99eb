package outbox.internal.check;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class RequireTest {

    @Test
    void a_value_at_the_minimum_passes() {
        assertThat(Require.atLeast(1, 1, "n")).isEqualTo(1);
        assertThat(Require.atLeast(1L, Long.MAX_VALUE, "n")).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void a_value_below_is_named_with_the_rule() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Require.atLeast(1, 0, "workerCount"))
                .withMessage("workerCount must be >= 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Require.atLeast(0L, -5L, "delay"))
                .withMessage("delay must be >= 0, was -5");
    }

    @Test
    void a_missing_part_is_named() {
        assertThat(Require.set("x", "n")).isEqualTo("x");
        assertThatNullPointerException()
                .isThrownBy(() -> Require.set(null, "outboxStore"))
                .withMessage("outboxStore is required");
    }
}
