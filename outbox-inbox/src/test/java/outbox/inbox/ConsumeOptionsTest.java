package outbox.inbox;

import java.time.Duration;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ConsumeOptionsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void the_defaults_are_as_documented() {
        assertThat(ConsumeOptions.defaults())
                .isEqualTo(new ConsumeOptions(
                        Duration.ofSeconds(30), false, Duration.ZERO, 20, SECOND, Duration.ofMinutes(5)));
        assertThat(ConsumeOptions.defaults().acquisition()).isEqualTo(Acquisition.LEASE);
        assertThat(ConsumeOptions.defaults().keepFailedEvents()).isFalse();
        assertThat(ConsumeOptions.retriedBySender().acquisition()).isEqualTo(Acquisition.TRANSACTION);
        assertThat(ConsumeOptions.retriedBySender().baseBackoff()).isZero();
    }

    @Test
    void each_copy_changes_what_its_name_says_and_nothing_else() {
        ConsumeOptions all = ConsumeOptions.defaults()
                .withLockTtl(SECOND)
                .waitingUpTo(Duration.ofSeconds(2))
                .withMaxRetry(3)
                .withBackoff(Duration.ofSeconds(4), Duration.ofSeconds(5))
                .withAcquisition(Acquisition.TRANSACTION)
                .keepingFailedEvents();

        assertThat(all)
                .isEqualTo(new ConsumeOptions(
                        SECOND,
                        true,
                        Duration.ofSeconds(2),
                        3,
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(5),
                        Acquisition.TRANSACTION,
                        true));
    }

    @Test
    void nonsense_is_refused_with_the_name_the_rule_and_the_value() {
        ConsumeOptions some = ConsumeOptions.defaults();
        assertThatThrownBy(() -> some.withLockTtl(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lockTtl must be between PT0.001S and PT8760H, was PT0S");
        assertThatThrownBy(() -> some.withLockTtl(Duration.ofDays(366)))
                .hasMessage("lockTtl must be between PT0.001S and PT8760H, was PT8784H");
        assertThatThrownBy(() -> some.withMaxRetry(-1)).hasMessage("maxRetry must be >= 0, was -1");
        assertThatThrownBy(() -> some.withBackoff(SECOND.negated(), SECOND))
                .hasMessage("baseBackoff must be between PT0S and PT8760H, was PT-1S");
        assertThatThrownBy(() -> some.withBackoff(Duration.ofSeconds(2), SECOND))
                .hasMessage("maxBackoff must be >= baseBackoff, was PT1S with baseBackoff PT2S");
        assertThatThrownBy(() -> some.waitingUpTo(Duration.ZERO))
                .hasMessageStartingWith("waitMax must be positive when waitIfInProgress is set, was PT0S");
        assertThatThrownBy(() -> some.withAcquisition(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void pauses_double_and_never_overflow() {
        ConsumeOptions options = ConsumeOptions.defaults().withBackoff(SECOND, Duration.ofDays(300));
        assertThat(FailureRecorder.retryIn(1, options)).isEqualTo(SECOND);
        assertThat(FailureRecorder.retryIn(2, options)).isEqualTo(Duration.ofSeconds(2));
        assertThat(FailureRecorder.retryIn(11, options)).isEqualTo(Duration.ofSeconds(1024));
        assertThat(FailureRecorder.retryIn(Integer.MAX_VALUE, options)).isEqualTo(Duration.ofDays(300));
        ConsumeOptions none = ConsumeOptions.retriedBySender();
        assertThat(FailureRecorder.retryIn(Integer.MAX_VALUE, none)).isZero();
    }
}
