package outbox.testing.contract;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.testing.contract.ListenerFixture.Received;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** What was written is what arrives, in the order in which it must. */
interface ListenerContentContract extends ListenerTest {

    /** Of letters that take one to four bytes, what JSON escapes, and a combination that must not be composed. */
    String UNICODE = "Grüße, e\\u0301 日本語 Ω 𝄞 👩‍👩‍👧 \\\" \\\\ \\n \\u0000 \u2028";

    default Received arrivalOf(EventEnvelope event) {
        try (Bench bench = bench()) {
            bench.write(event);
            bench.awaitDone(1);
        }
        assertEquals(1, received().size());
        return received().get(0);
    }

    @Test
    default void an_event_arrives_with_its_id_type_aggregate_and_payload() {
        EventEnvelope event = ListenerTest.event("42");
        Received received = arrivalOf(event);

        assertEquals(event.eventId(), received.eventId());
        assertEquals(TYPE, received.eventType());
        assertEquals("42", received.aggregateId());
        assertEquals(event.payloadJson(), received.payload());
    }

    @Test
    default void an_event_without_an_aggregate_arrives_without_one() {
        assertNull(arrivalOf(ListenerTest.event(null)).aggregateId());
    }

    @Test
    default void all_headers_arrive_with_their_values() {
        if (!fixture().carriesHeaders()) {
            return;
        }
        Map<String, @Nullable String> headers = new LinkedHashMap<>();
        headers.put("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        headers.put("empty", "");
        headers.put("unicode", "Grüße 日本語 👩‍👩‍👧");
        headers.put("with.dots-and_more", "a=b; c,d");
        headers.put("long", "x".repeat(2_000));
        Received received = arrivalOf(EventEnvelope.builder(TYPE)
                .tenantId("tenant-1")
                .headers(headers)
                .payloadJson("{}")
                .build());

        Map<String, @Nullable String> arrived = new HashMap<>(received.headers());
        arrived.keySet().retainAll(headers.keySet());
        assertEquals(headers, arrived);
    }

    @Test
    default void a_payload_in_any_script_arrives_unchanged() {
        String payload = "{\"text\":\"" + UNICODE + "\"}";

        assertEquals(payload, arrivalOf(EventEnvelope.ofJson(TYPE, payload)).payload());
    }

    @Test
    default void the_largest_payload_arrives_whole() {
        String payload = "\"" + "x".repeat(fixture().largestPayload() - 2) + "\"";

        assertEquals(payload, arrivalOf(EventEnvelope.ofJson(TYPE, payload)).payload());
    }

    @Test
    default void events_of_an_aggregate_arrive_in_their_order_and_all_of_them() {
        int keys = 7;
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 210; i++) {
            events.add(ListenerTest.event("k" + i % keys));
        }
        try (Bench bench = bench(builder -> builder.ordered())) {
            for (int from = 0; from < events.size(); from += 30) {
                bench.write(events.subList(from, from + 30));
            }
            bench.awaitDone(events.size());
        }

        assertEquals(
                byKey(events.stream()
                        .map(event -> Map.entry(Objects.requireNonNull(event.aggregateId()), event.eventId()))
                        .toList()),
                byKey(received().stream()
                        .map(received -> Map.entry(Objects.requireNonNull(received.aggregateId()), received.eventId()))
                        .toList()));
    }

    @Test
    default void one_that_is_refused_keeps_those_behind_it_waiting_and_nobody_else() {
        EventEnvelope first = ListenerTest.event("a");
        EventEnvelope second = ListenerTest.event("a");
        EventEnvelope other = ListenerTest.event("b");
        orAbort(() -> fixture().refuse(Set.of(first.eventId())));
        try (Bench bench = bench(builder -> builder.ordered())) {
            bench.write(first, second, other);
            ListenerTest.await("the other one", () -> arrivals(other) > 0);
            ListenerTest.await("a refusal", () -> bench.row(first).attempts() > 0);
            assertEquals(0, arrivals(second));
            fixture().refuse(Set.of());
            bench.awaitDone(3);
        }

        assertEquals(
                List.of(first.eventId(), second.eventId()),
                received().stream()
                        .filter(received -> "a".equals(received.aggregateId()))
                        .map(Received::eventId)
                        .distinct()
                        .toList());
    }

    private static Map<String, List<String>> byKey(List<Map.Entry<String, String>> idsOfKeys) {
        return idsOfKeys.stream()
                .collect(Collectors.groupingBy(
                        Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
    }
}
