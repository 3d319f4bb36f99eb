package outbox.jdbc.purge;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;

import static org.assertj.core.api.Assertions.assertThat;

class UlidTimeTest {

    @ParameterizedTest
    @ValueSource(strings = {"1970-01-01T00:00:00Z", "2026-03-01T00:00:00.001Z", "9999-12-31T23:59:59.999Z"})
    void a_time_comes_back_from_its_prefix(String time) {
        Instant instant = Instant.parse(time);

        assertThat(UlidTime.of(UlidTime.prefix(instant) + "0123456789ABCDEF")).isEqualTo(instant);
    }

    @Test
    void the_ids_of_envelopes_lie_between_the_prefixes_of_their_time() {
        Instant before = Instant.now();
        String id = EventEnvelope.ofJson("Tick", "{}").eventId();

        assertThat(id).isGreaterThanOrEqualTo(UlidTime.prefix(before));
        assertThat(id).isLessThan(UlidTime.prefix(Instant.now().plus(Duration.ofMinutes(1))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "01ARZ3NDE", "order-2026-17", "01arz3ndektsv4rrffq69g5fav", "01ARZ3NDEU"})
    void what_does_not_begin_as_a_ulid_has_no_time(String id) {
        assertThat(UlidTime.of(id)).isNull();
    }
}
