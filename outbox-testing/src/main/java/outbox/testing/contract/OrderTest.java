package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import outbox.EventEnvelope;
import outbox.spi.LeaseStore.HeldDead;
import outbox.spi.LeaseStore.HeldRetry;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.Claimed;
import outbox.spi.OrderedStore.Standing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What the parts of the contract on order have in common: events named after their key, as in {@code a1}, {@code a2}, {@code b1}. */
interface OrderTest extends LeaseTest {

    /** The order of the store under test; aborts the test if it has none. */
    default OrderedStore order() {
        OrderedStore ordered = store().ordered();
        assumeTrue(ordered != null, "the store keeps no order");
        return Objects.requireNonNull(ordered);
    }

    /** An event whose key is the first letter of its id. */
    default EventEnvelope keyed(String id) {
        return keyed(id, LONG_AGO);
    }

    default EventEnvelope keyed(String id, Instant occurredAt) {
        return EventEnvelope.builder("OrderPlaced")
                .eventId(id)
                .aggregateType("Order")
                .aggregateId(id.substring(0, 1))
                .occurredAt(occurredAt)
                .payloadJson("{}")
                .build();
    }

    default void insertKeyed(String... ids) throws SQLException {
        insert(Arrays.stream(ids).map(this::keyed).toArray(EventEnvelope[]::new));
    }

    default List<Standing> insertAs(String owner, String... ids) throws SQLException {
        List<EventEnvelope> events = Arrays.stream(ids).map(this::keyed).toList();
        return with(conn -> order().insert(conn, events, owner));
    }

    default Claimed claimInOrder(String owner, int limit) throws SQLException {
        return with(conn -> order().claim(conn, owner, LOCK_TIMEOUT, Duration.ZERO, limit));
    }

    /** What an owner gets, in the order in which it gets it. */
    default List<String> take(String owner) throws SQLException {
        return idsOf(claimInOrder(owner, 100));
    }

    default List<String> idsOf(Claimed claimed) {
        return claimed.runs().stream()
                .flatMap(run -> run.events().stream())
                .map(taken -> taken.event().eventId())
                .toList();
    }

    /** Of the events that an owner gets, those of one key. */
    default List<String> ofKey(String key, List<String> ids) {
        return ids.stream().filter(id -> id.startsWith(key)).toList();
    }

    default void done(String owner, String... ids) throws SQLException {
        assertEquals(Set.of(), with(conn -> leases().markDone(conn, owner, held(ids))));
    }

    default void failed(String owner, String id, Duration delay) throws SQLException {
        HeldRetry retry = new HeldRetry(id, 1, delay, "failed");
        assertEquals(Set.of(), with(conn -> leases().markRetry(conn, owner, List.of(retry))));
    }

    default void died(String owner, String id, boolean holdsKey) throws SQLException {
        HeldDead dead = new HeldDead(id, "poison", holdsKey);
        assertEquals(Set.of(), with(conn -> leases().markDead(conn, owner, List.of(dead))));
    }

    default void release(String owner, String... ids) throws SQLException {
        assertEquals(ids.length, count(conn -> leases().release(conn, owner, held(ids))));
    }

    default boolean isFirst(String id) throws SQLException {
        return with(conn -> order().isFirst(conn, id));
    }
}
