package outbox.testing.contract;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.testing.StoredEvent;
import outbox.util.JsonCodec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

interface InsertContract extends StoreTest {

    @Test
    default void a_new_event_is_pending_and_available_since_it_occurred() throws SQLException {
        insert(event("e1", NOW));

        assertEquals(new StoredEvent("e1", EventStatus.NEW, 0, NOW, NOW, null, null, null, null), find("e1"));
    }

    @Test
    default void insert_new_writes_a_single_event() throws SQLException {
        with(conn -> {
            store().insertNew(conn, event("e1", NOW));
            return true;
        });

        assertEquals(EventStatus.NEW, find("e1").status());
    }

    @Test
    default void every_field_comes_back_as_it_was_written() throws SQLException {
        Map<String, @Nullable String> headers = new LinkedHashMap<>();
        headers.put("trace", "00-abc");
        headers.put("quoted \"key\"", "line\nbreak \\ ü 漢 😀");
        headers.put("empty", null);
        insert(EventEnvelope.builder("OrderPlaced")
                .eventId("e1")
                .occurredAt(NOW)
                .aggregateType("Order")
                .aggregateId("o-17")
                .tenantId("tenant-a")
                .headers(headers)
                .payloadJson("{\"text\":\"ü 漢字 😀 \\n ' ; --\"}")
                .build());

        OutboxEvent read = poll(NOW, 1).get(0);

        assertEquals("OrderPlaced", read.eventType());
        assertEquals("Order", read.aggregateType());
        assertEquals("o-17", read.aggregateId());
        assertEquals("tenant-a", read.tenantId());
        assertEquals(headers, JsonCodec.getDefault().parseObject(read.headersJson()));
        assertEquals(NOW, read.createdAt());
        assertEquals(0, read.attempts());
    }

    @Test
    default void optional_fields_may_be_missing() throws SQLException {
        insert(event("e1", NOW));

        OutboxEvent read = poll(NOW, 1).get(0);

        assertEquals("__GLOBAL__", read.aggregateType());
        assertNull(read.aggregateId());
        assertNull(read.tenantId());
        assertNull(read.headersJson());
    }

    @Test
    default void a_payload_comes_back_byte_for_byte_where_the_store_promises_so() throws SQLException {
        String payload = "{ \"b\" : 1.0,\t\"a\":[1e2 , 100],\n\"a\": \"\\u00e9\\/\", \"漢\": \"😀\" }";
        insert(EventEnvelope.builder("OrderPlaced")
                .eventId("e1")
                .occurredAt(NOW)
                .payloadJson(payload)
                .build());

        String read = poll(NOW, 1).get(0).payloadJson();

        assertEquals(fixture().keepsPayloadText(), payload.equals(read), () -> "read back: " + read);
    }

    @Test
    default void a_payload_of_one_mebibyte_is_kept() throws SQLException {
        String payload = '"' + "é".repeat((EventEnvelope.MAX_PAYLOAD_BYTES - 2) / 2) + '"';
        assertEquals(EventEnvelope.MAX_PAYLOAD_BYTES, payload.getBytes(StandardCharsets.UTF_8).length);
        insert(EventEnvelope.builder("Big")
                .eventId("big")
                .occurredAt(NOW)
                .payloadJson(payload)
                .build());

        assertEquals(payload, poll(NOW, 1).get(0).payloadJson());
    }

    @Test
    default void a_batch_of_large_payloads_is_written_whole() throws SQLException {
        String payload = '"' + "x".repeat(EventEnvelope.MAX_PAYLOAD_BYTES - 2) + '"';
        List<EventEnvelope> events = IntStream.range(0, 12)
                .mapToObj(i -> EventEnvelope.builder("Big")
                        .eventId("big-" + i)
                        .occurredAt(NOW)
                        .payloadJson(payload)
                        .build())
                .toList();

        insert(events.toArray(EventEnvelope[]::new));

        assertEquals(12, poll(NOW, 100).size());
    }

    @Test
    default void a_payload_given_as_bytes_is_stored_as_text() throws SQLException {
        insert(EventEnvelope.builder("OrderPlaced")
                .eventId("e1")
                .occurredAt(NOW)
                .payloadBytes("{\"name\":\"Zoë\"}".getBytes(StandardCharsets.UTF_8))
                .build());

        assertEquals(
                JsonCodec.getDefault().parseObject("{\"name\":\"Zoë\"}"),
                JsonCodec.getDefault().parseObject(poll(NOW, 1).get(0).payloadJson()));
    }

    @Test
    default void five_thousand_events_are_written_in_one_call() throws SQLException {
        EventEnvelope[] events =
                IntStream.range(0, 5_000).mapToObj(i -> event("e" + i, NOW)).toArray(EventEnvelope[]::new);

        insert(events);

        assertEquals(5_000, poll(NOW, 10_000).size());
    }

    @Test
    default void an_empty_batch_writes_nothing() throws SQLException {
        insert();

        assertEquals(List.of(), poll(NOW, 10));
    }

    @Test
    default void a_rolled_back_event_leaves_no_trace() throws SQLException {
        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            store().insertBatch(conn, List.of(event("e1", NOW), event("e2", NOW)));
            conn.rollback();
            conn.setAutoCommit(true);
        }

        assertNull(fixture().find("e1"));
        assertEquals(List.of(), poll(NOW.plus(Duration.ofDays(1)), 10));
    }

    @Test
    default void an_uncommitted_event_is_not_seen_by_others() throws SQLException {
        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            store().insertNew(conn, event("e1", NOW));

            assertEquals(List.of(), poll(NOW, 10));

            conn.commit();
            conn.setAutoCommit(true);
        }

        assertEquals(List.of("e1"), ids(poll(NOW, 10)));
    }

    @Test
    default void an_uncommitted_event_is_not_claimed_by_others() throws SQLException {
        needsTwoWriters("a claim passes over events that are not committed");
        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            store().insertNew(conn, event("e1", NOW));

            assertEquals(List.of(), claim("other", NOW, 10));

            conn.commit();
            conn.setAutoCommit(true);
        }
    }

    @Test
    default void what_is_committed_is_present_whatever_has_become_of_it() throws SQLException {
        for (EventStatus status : EventStatus.values()) {
            insertAs(status, status.name());
        }
        List<String> all = Stream.concat(Stream.of(EventStatus.values()).map(EventStatus::name), Stream.of("unknown"))
                .toList();

        assertEquals(Set.of("NEW", "RETRY", "DONE", "DEAD"), with(conn -> store().present(conn, all)));
        assertEquals(Set.of(), with(conn -> store().present(conn, List.of())));
    }

    @Test
    default void an_uncommitted_event_is_not_present_for_others_who_do_not_wait_for_it() throws SQLException {
        needsTwoWriters("nobody waits for an insert that is not committed");
        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            store().insertNew(conn, event("e1", NOW));

            assertEquals(Set.of(), with(other -> store().present(other, List.of("e1"))));

            conn.commit();
            conn.setAutoCommit(true);
        }
    }

    @Test
    default void the_same_id_twice_is_refused() throws SQLException {
        insert(event("e1", NOW));

        assertThrows(RuntimeException.class, () -> insert(event("e1", NOW)));
    }

    @Test
    default void times_keep_their_microseconds() throws SQLException {
        Instant precise = Instant.parse("2026-03-29T01:30:00.999999Z");
        insert(event("e1", precise.plusNanos(999)));

        assertEquals(precise, poll(NOW.plus(Duration.ofDays(60)), 1).get(0).createdAt());
    }
}
