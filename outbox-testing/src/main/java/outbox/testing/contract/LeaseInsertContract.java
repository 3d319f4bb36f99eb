package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** Events that are inserted with a lease are the same as others, but held by their owner from the beginning. */
interface LeaseInsertContract extends LeaseTest {

    private EventEnvelope fullEvent(String id) {
        return EventEnvelope.builder("OrderPlaced")
                .eventId(id)
                .occurredAt(LONG_AGO)
                .aggregateType("Order")
                .aggregateId("o-17")
                .tenantId("tenant-a")
                .headers(Map.of("trace", "00-abc \"quoted\" ü 漢 😀"))
                .payloadJson("{\"text\":\"ü 漢字 😀 \\n ' ; --\"}")
                .build();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 300})
    default void events_inserted_with_a_lease_cannot_be_taken_by_anybody(int count) throws SQLException {
        EventEnvelope[] events =
                IntStream.range(0, count).mapToObj(i -> event("e" + i)).toArray(EventEnvelope[]::new);
        insertLeased("owner", events);

        assertEquals(List.of(), lease("other"));
        assertEquals(List.of(), lease("owner"));

        for (EventEnvelope event : events) {
            StoredEvent stored = find(event.eventId());
            assertEquals("owner", stored.lockedBy());
            Instant lockedAt = stored.lockedAt();
            assertNotNull(lockedAt);
            assertEquals(
                    new StoredEvent(
                            event.eventId(), EventStatus.NEW, 0, LONG_AGO, LONG_AGO, null, null, "owner", lockedAt),
                    stored);
        }
    }

    @Test
    default void an_insert_with_a_lease_writes_the_same_as_one_without() throws SQLException {
        insertLeased("owner", fullEvent("single"));
        insertLeased("owner", fullEvent("several-1"), fullEvent("several-2"), event("bare-leased"));
        insert(fullEvent("plain"), event("bare"));

        List<OutboxEvent> read = poll(NOW, 100);

        assertEquals(6, read.size());
        assertEquals(
                2, read.stream().map(event -> named(event, "")).distinct().count(), () -> "not two kinds: " + read);
    }

    private static OutboxEvent named(OutboxEvent event, String id) {
        return new OutboxEvent(
                id,
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.payloadJson(),
                event.headersJson(),
                event.attempts(),
                event.createdAt());
    }

    @Test
    default void an_empty_insert_with_a_lease_writes_nothing() throws SQLException {
        insertLeased("owner");

        assertEquals(List.of(), poll(NOW, 10));
    }

    @Test
    default void a_rolled_back_insert_with_a_lease_leaves_no_trace() throws SQLException {
        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            leases().insertLeased(conn, List.of(event("a"), event("b")), "owner");
            conn.rollback();
            conn.setAutoCommit(true);
        }

        assertNull(fixture().find("a"));
        assertNull(fixture().find("b"));
    }

    @Test
    default void a_lease_from_the_insert_expires_like_any_other() throws SQLException {
        insertLeased("writer", event("e1"));
        letLeasesExpire();

        assertEquals(List.of("e1"), lease("other"));
        assertEquals(0, find("e1").attempts());
    }
}
