package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.OutboxStore;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What the parts of the contract have in common: a fixed time, events and short ways to the store. */
interface StoreTest {

    Instant NOW = Instant.parse("2026-03-01T12:00:00.123456Z");
    Duration LOCK_TIMEOUT = Duration.ofMinutes(5);

    StoreFixture fixture();

    @BeforeEach
    default void emptyTable() throws SQLException {
        fixture().clear();
    }

    default OutboxStore store() {
        return fixture().store();
    }

    default EventEnvelope event(String id, Instant occurredAt) {
        return EventEnvelope.builder("OrderPlaced")
                .eventId(id)
                .occurredAt(occurredAt)
                .payloadJson("{\"n\":1}")
                .build();
    }

    @FunctionalInterface
    interface Work<T> {
        T on(Connection conn) throws SQLException;
    }

    /** Runs the work on a connection of its own, in autocommit mode. */
    default <T> T with(Work<T> work) throws SQLException {
        try (Connection conn = fixture().connect()) {
            return work.on(conn);
        }
    }

    @FunctionalInterface
    interface Count {
        int on(Connection conn) throws SQLException;
    }

    /** Runs the work on a connection of its own, in autocommit mode, and returns the number it yields. */
    default int count(Count work) throws SQLException {
        try (Connection conn = fixture().connect()) {
            return work.on(conn);
        }
    }

    default void insert(EventEnvelope... events) throws SQLException {
        with(conn -> {
            store().insertBatch(conn, List.of(events));
            return true;
        });
    }

    default List<OutboxEvent> claim(String owner, Instant now, int limit) throws SQLException {
        return with(conn -> claim(conn, owner, now, limit));
    }

    default List<OutboxEvent> claim(Connection conn, String owner, Instant now, int limit) {
        return store().claimPending(conn, owner, now, now.minus(LOCK_TIMEOUT), Duration.ZERO, limit);
    }

    default List<OutboxEvent> poll(Instant now, int limit) throws SQLException {
        return with(conn -> store().pollPending(conn, now, Duration.ZERO, limit));
    }

    default StoredEvent find(String eventId) throws SQLException {
        StoredEvent event = fixture().find(eventId);
        assertNotNull(event, () -> "event " + eventId + " is not in the table");
        return event;
    }

    default List<String> ids(List<OutboxEvent> events) {
        return events.stream().map(OutboxEvent::eventId).toList();
    }

    /** Inserts an event and brings it into the given state. */
    default void insertAs(EventStatus status, String id) throws SQLException {
        insert(event(id, NOW));
        with(conn -> switch (status) {
            case NEW -> 0;
            case DONE -> store().markDone(conn, id);
            case RETRY -> store().markRetry(conn, id, NOW, "first failure");
            case DEAD -> store().markDead(conn, id, "fatal failure");
        });
    }

    /** Aborts the test if it would need two transactions that write at the same time, and says what was not shown. */
    default void needsTwoWriters(String toShow) {
        assumeTrue(fixture().writesConcurrently(), () -> "One transaction writes at a time: not shown that " + toShow);
    }

    /** The claims of one owner. */
    @FunctionalInterface
    interface Claims {
        List<String> by(String owner) throws SQLException;
    }

    /** Lets several owners claim, all beginning at the same moment, and returns what they got together. */
    default List<String> concurrently(int owners, Claims claims) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(owners);
        CyclicBarrier start = new CyclicBarrier(owners);
        try {
            List<Future<List<String>>> results = new ArrayList<>();
            for (int i = 0; i < owners; i++) {
                String owner = "owner-" + i;
                results.add(threads.submit(() -> {
                    start.await(100, TimeUnit.SECONDS);
                    return claims.by(owner);
                }));
            }
            List<String> all = new ArrayList<>();
            for (Future<List<String>> result : results) {
                all.addAll(result.get(100, TimeUnit.SECONDS));
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }
}
