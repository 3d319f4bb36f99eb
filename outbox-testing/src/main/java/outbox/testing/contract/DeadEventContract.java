package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

interface DeadEventContract extends StoreTest {

    private void insertDead(String id, String eventType, String aggregateType, Instant occurredAt) throws SQLException {
        insert(EventEnvelope.builder(eventType)
                .eventId(id)
                .aggregateType(aggregateType)
                .occurredAt(occurredAt)
                .payloadJson("{}")
                .build());
        with(conn -> store().markDead(conn, id, "poison"));
    }

    private List<String> query(@Nullable String eventType, @Nullable String aggregateType, int limit)
            throws SQLException {
        return ids(with(conn -> store().queryDead(conn, eventType, aggregateType, limit)));
    }

    @Test
    default void dead_events_are_found_by_type_and_aggregate_oldest_first() throws SQLException {
        insertDead("c", "Placed", "Order", NOW);
        insertDead("b", "Placed", "Order", NOW.minusSeconds(5));
        insertDead("a", "Placed", "Cart", NOW);
        insertDead("d", "Shipped", "Order", NOW);
        insertAs(EventStatus.DONE, "done");
        insertAs(EventStatus.RETRY, "retry");

        assertEquals(List.of("b", "a", "c", "d"), query(null, null, 10));
        assertEquals(List.of("b", "c"), query("Placed", "Order", 10));
        assertEquals(List.of("b", "c", "d"), query(null, "Order", 10));
        assertEquals(List.of("d"), query("Shipped", null, 10));
        assertEquals(List.of("b", "a"), query(null, null, 2));
        assertEquals(List.of(), query("None", null, 10));
    }

    @Test
    default void dead_events_are_counted_by_type() throws SQLException {
        insertDead("a", "Placed", "Order", NOW);
        insertDead("b", "Placed", "Cart", NOW);
        insertDead("c", "Shipped", "Order", NOW);
        insertAs(EventStatus.NEW, "new");

        assertEquals(3, count(conn -> store().countDead(conn, null)));
        assertEquals(2, count(conn -> store().countDead(conn, "Placed")));
        assertEquals(0, count(conn -> store().countDead(conn, "None")));
    }

    @Test
    default void a_replayed_event_is_as_new_and_available_at_once() throws SQLException {
        insert(event("e1", NOW));
        with(conn -> store().markRetry(conn, "e1", NOW.plus(Duration.ofDays(900)), "first"));
        with(conn -> store().markDead(conn, "e1", "second"));

        assertEquals(1, count(conn -> store().replayDead(conn, "e1")));

        StoredEvent replayed = find("e1");
        assertEquals(EventStatus.NEW, replayed.status());
        assertEquals(0, replayed.attempts());
        assertEquals(NOW, replayed.createdAt());
        assertNull(replayed.lastError());
        assertNull(replayed.doneAt());
        assertNull(replayed.lockedBy());
        assertNull(replayed.lockedAt());
        Instant soon = Instant.now().plusSeconds(60);
        assertFalse(replayed.availableAt().isAfter(soon));
        Instant later = soon.isAfter(NOW) ? soon : NOW;
        OutboxEvent found = poll(later, 1).get(0);
        assertEquals("e1", found.eventId());
    }

    @ParameterizedTest
    @EnumSource(
            value = EventStatus.class,
            names = {"NEW", "DONE", "RETRY"})
    default void only_a_dead_event_can_be_replayed(EventStatus status) throws SQLException {
        insertAs(status, "e1");
        StoredEvent before = find("e1");

        assertEquals(0, count(conn -> store().replayDead(conn, "e1")));
        assertEquals(0, count(conn -> store().replayDead(conn, "none")));

        assertEquals(before, find("e1"));
    }
}
