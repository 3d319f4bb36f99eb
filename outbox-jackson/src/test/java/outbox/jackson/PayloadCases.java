package outbox.jackson;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.domain.DomainEvent;
import outbox.domain.OutboxPayloadDeserializer;
import outbox.domain.OutboxPayloadSerializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** How domain events become JSON and come back, with each Jackson. */
public abstract class PayloadCases {

    private static final Instant AT = Instant.parse("2026-03-01T10:15:30.123456789Z");

    record Line(String article, BigDecimal price) {}

    record Placed(String eventId, Instant occurredAt, List<Line> lines) implements DomainEvent {}

    record Loop(String eventId, Instant occurredAt, List<Object> itself) implements DomainEvent {}

    private final OutboxPayloadSerializer serializer = serializer();
    private final OutboxPayloadDeserializer deserializer = deserializer();

    protected abstract OutboxPayloadSerializer serializer();

    protected abstract OutboxPayloadDeserializer deserializer();

    private static Placed placed(String price) {
        return new Placed("id", AT, List.of(new Line("pen", new BigDecimal(price))));
    }

    @Test
    void a_record_is_written_in_plain_json() {
        assertThat(serializer.serialize(placed("1.10")))
                .isEqualTo("{\"eventId\":\"id\",\"occurredAt\":\"2026-03-01T10:15:30.123456789Z\","
                        + "\"lines\":[{\"article\":\"pen\",\"price\":1.10}]}");
    }

    @Test
    void times_and_decimals_come_back_exactly_as_they_were() {
        for (String price : List.of("1.10", "0.00", "1E+3", "-0.1", "12345678901234567890.123456789012345678901")) {
            assertThat(deserializer.deserialize(serializer.serialize(placed(price)), Placed.class))
                    .isEqualTo(placed(price));
        }
    }

    @Test
    void fields_that_are_not_known_are_passed_over() {
        assertThat(deserializer.deserialize(
                        "{\"eventId\":\"id\",\"occurredAt\":\"2026-03-01T10:15:30.123456789Z\",\"lines\":[],\"more\":1}",
                        Placed.class))
                .isEqualTo(new Placed("id", AT, List.of()));
    }

    record Paid(String eventId, Instant occurredAt, long cents) implements DomainEvent {}

    @Test
    void a_number_that_is_missing_is_not_taken_for_zero() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> deserializer.deserialize("{\"eventId\":\"id\"}", Paid.class))
                .withMessageContaining("PayloadCases$Paid");
    }

    @Test
    void an_event_that_cannot_be_written_is_an_error_that_names_its_class() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> serializer.serialize(new Loop("id", AT, List.of(new Object()))))
                .withMessageContaining("PayloadCases$Loop cannot be written as JSON");
    }

    @Test
    void a_payload_that_cannot_be_read_is_an_error_that_names_the_class_and_not_the_content() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> deserializer.deserialize("{\"lines\":\"secret\"}", Placed.class))
                .withMessageContaining("PayloadCases$Placed")
                .withMessageNotContaining("secret");
    }
}
