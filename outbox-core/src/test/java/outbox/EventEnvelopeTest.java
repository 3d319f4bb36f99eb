package outbox;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EventEnvelopeTest {

    private enum UserEvents implements EventType {
        USER_CREATED
    }

    private enum Aggregates implements AggregateType {
        USER
    }

    @Test
    void everything_but_type_and_payload_has_a_default() {
        Instant before = Instant.now();
        EventEnvelope event =
                EventEnvelope.builder("UserCreated").payloadJson("{}").build();

        assertThat(event.eventId()).hasSize(26);
        assertThat(event.eventType()).isEqualTo("UserCreated");
        assertThat(event.occurredAt()).isBetween(before.minusNanos(1_000), Instant.now());
        assertThat(event.aggregateType()).isEqualTo("__GLOBAL__");
        assertThat(event.aggregateId()).isNull();
        assertThat(event.tenantId()).isNull();
        assertThat(event.headers()).isEmpty();
    }

    @Test
    void default_time_has_no_more_precision_than_the_table_keeps() {
        for (int i = 0; i < 50; i++) {
            Instant time = EventEnvelope.ofJson("T", "{}").occurredAt();
            assertThat(time).isEqualTo(time.truncatedTo(ChronoUnit.MICROS));
        }
    }

    @Test
    void default_ids_grow() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            ids.add(EventEnvelope.ofJson("T", "{}").eventId());
        }

        assertThat(ids).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void keeps_what_it_was_given() {
        Instant time = Instant.parse("2026-01-02T03:04:05.123456789Z");
        EventEnvelope event = EventEnvelope.builder("OrderPlaced")
                .eventId("id-1")
                .occurredAt(time)
                .aggregateType("Order")
                .aggregateId("42")
                .tenantId("tenant")
                .headers(Map.of("k", "v"))
                .payloadJson("{\"a\":1}")
                .build();

        assertThat(event.eventId()).isEqualTo("id-1");
        assertThat(event.occurredAt()).isEqualTo(time);
        assertThat(event.aggregateType()).isEqualTo("Order");
        assertThat(event.aggregateId()).isEqualTo("42");
        assertThat(event.tenantId()).isEqualTo("tenant");
        assertThat(event.headers()).containsExactly(Map.entry("k", "v"));
        assertThat(event.payloadJson()).isEqualTo("{\"a\":1}");
    }

    @Test
    void takes_typed_names() {
        EventEnvelope built = EventEnvelope.builder(UserEvents.USER_CREATED)
                .aggregateType(Aggregates.USER)
                .payloadJson("{}")
                .build();
        EventEnvelope brief = EventEnvelope.ofJson(UserEvents.USER_CREATED, "{}");

        assertThat(built.eventType()).isEqualTo("USER_CREATED");
        assertThat(built.aggregateType()).isEqualTo("USER");
        assertThat(brief.eventType()).isEqualTo("USER_CREATED");
        assertThat(EventEnvelope.builder(StringEventType.of("Dynamic"))
                        .aggregateType(StringAggregateType.of("Custom"))
                        .payloadJson("{}")
                        .build()
                        .aggregateType())
                .isEqualTo("Custom");
    }

    @Test
    void null_means_default() {
        EventEnvelope event = EventEnvelope.builder("T")
                .eventId(null)
                .occurredAt(null)
                .aggregateType("Order")
                .aggregateType((String) null)
                .headers(Map.of("k", "v"))
                .headers(null)
                .payloadBytes(null)
                .payloadJson("{}")
                .build();

        assertThat(event.eventId()).hasSize(26);
        assertThat(event.occurredAt()).isNotNull();
        assertThat(event.aggregateType()).isEqualTo("__GLOBAL__");
        assertThat(event.headers()).isEmpty();
        assertThat(EventEnvelope.builder("T")
                        .aggregateType("Order")
                        .aggregateType((AggregateType) null)
                        .payloadJson("{}")
                        .build()
                        .aggregateType())
                .isEqualTo("__GLOBAL__");
    }

    @Test
    void event_type_is_required() {
        assertThatNullPointerException().isThrownBy(() -> EventEnvelope.builder((String) null));
        assertThatNullPointerException().isThrownBy(() -> EventEnvelope.builder((EventType) null));
        assertThatNullPointerException().isThrownBy(() -> EventEnvelope.ofJson((String) null, "{}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n"})
    void event_type_and_id_must_not_be_empty(String empty) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder(empty))
                .withMessage("eventType must not be empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder(StringEventType.of(empty)))
                .withMessage("eventType must not be empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("T").eventId(empty))
                .withMessage("eventId must not be empty");
    }

    @Test
    void null_header_key_is_rejected() {
        Map<String, String> headers = new HashMap<>();
        headers.put(null, "v");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("T").headers(headers))
                .withMessage("headers cannot contain null keys");
    }

    @Test
    void headers_are_copied_in_order_and_may_have_null_values() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("z", "1");
        headers.put("a", null);
        headers.put("m", "3");
        EventEnvelope event =
                EventEnvelope.builder("T").headers(headers).payloadJson("{}").build();
        headers.put("later", "4");

        assertThat(event.headers().keySet()).containsExactly("z", "a", "m");
        assertThat(event.headers()).containsEntry("a", null);
    }

    @Test
    void headers_cannot_be_changed_from_outside() {
        EventEnvelope event = EventEnvelope.builder("T")
                .headers(Map.of("k", "v"))
                .payloadJson("{}")
                .build();
        Map<String, String> headers = event.headers();

        assertThatThrownBy(() -> headers.put("x", "y")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_builder_makes_independent_events() {
        EventEnvelope.Builder builder =
                EventEnvelope.builder("T").headers(Map.of("k", "1")).payloadJson("{}");
        EventEnvelope first = builder.build();
        EventEnvelope second = builder.headers(Map.of("k", "2")).build();

        assertThat(first.headers()).containsEntry("k", "1");
        assertThat(second.headers()).containsEntry("k", "2");
        assertThat(first.eventId()).isLessThan(second.eventId());
    }

    @Test
    void text_form_shows_neither_payload_nor_headers() {
        EventEnvelope event = EventEnvelope.builder("T")
                .eventId("id-1")
                .aggregateId("7")
                .headers(Map.of("token", "secret-header"))
                .payloadJson("\"secret-payload\"")
                .build();

        assertThat(event.toString()).contains("id-1", "__GLOBAL__/T", "7").doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n"})
    void dynamic_type_names_must_not_be_empty(String empty) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StringEventType.of(empty))
                .withMessage("eventType must not be empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StringAggregateType.of(empty))
                .withMessage("aggregateType must not be empty");
    }

    @Test
    void dynamic_type_names_are_equal_by_value() {
        assertThat(StringEventType.of("A")).isEqualTo(StringEventType.of("A")).hasToString("A");
        assertThat(StringEventType.of("A")).isNotEqualTo(StringEventType.of("B"));
        assertThat(StringAggregateType.of("A"))
                .isEqualTo(StringAggregateType.of("A"))
                .hasToString("A");
        assertThat(AggregateType.GLOBAL.name()).isEqualTo("__GLOBAL__");
        assertThatNullPointerException().isThrownBy(() -> StringEventType.of(null));
        assertThatNullPointerException().isThrownBy(() -> StringAggregateType.of(null));
    }
}
