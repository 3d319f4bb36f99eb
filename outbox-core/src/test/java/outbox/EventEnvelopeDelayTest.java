package outbox;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EventEnvelopeDelayTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static EventEnvelope.Builder event() {
        return EventEnvelope.builder("Tick").occurredAt(NOW).payloadJson("{}");
    }

    @Test
    void an_event_is_due_at_once_unless_it_says_otherwise() {
        EventEnvelope event = event().availableAt(null).deliverAfter(null).build();

        assertThat(event.isDelayed()).isFalse();
        assertThat(event.availableAt()).isNull();
        assertThat(event.deliverAfter()).isNull();
        assertThat(event().deliverAfter(Duration.ZERO).build().isDelayed()).isFalse();
    }

    @Test
    void a_time_is_kept_to_the_microsecond() {
        EventEnvelope event = event().availableAt(NOW.plusNanos(5_999)).build();

        assertThat(event.isDelayed()).isTrue();
        assertThat(event.availableAt()).isEqualTo(NOW.plusNanos(5_000));
    }

    @Test
    void a_time_is_never_that_of_the_event_itself() {
        assertThat(event().availableAt(NOW.plusNanos(7)).build().availableAt()).isEqualTo(NOW.plusNanos(1_000));
    }

    @Test
    void a_time_long_ago_is_one_that_databases_know() {
        assertThat(event().availableAt(Instant.MIN).build().availableAt()).isEqualTo(Instant.EPOCH);
    }

    @Test
    void a_delay_is_kept() {
        assertThat(event().deliverAfter(Duration.ofDays(2)).build().deliverAfter())
                .isEqualTo(Duration.ofDays(2));
    }

    @Test
    void nonsense_is_refused() {
        assertThatThrownBy(() -> event().deliverAfter(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("deliverAfter must be between zero and 36500 days, was PT-0.001S");
        assertThatThrownBy(() -> event().deliverAfter(EventEnvelope.LONGEST_DELAY.plusNanos(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> event().availableAt(Instant.MAX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("availableAt must be before 9999-12-31T00:00:00Z, was ");
        assertThatThrownBy(() -> event().availableAt(NOW)
                        .deliverAfter(Duration.ofSeconds(1))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("availableAt 2026-01-01T00:00:00Z and deliverAfter PT1S are both set; set one of them");
    }
}
