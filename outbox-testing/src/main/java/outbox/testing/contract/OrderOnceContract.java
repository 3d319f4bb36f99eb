package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.DuplicateEventException;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.Claimed;
import outbox.spi.OrderedStore.Placed;
import outbox.spi.OrderedStore.Standing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Order of events that are written once, and of events that are due later. */
interface OrderOnceContract extends LeaseTest {

    private OrderedStore inOrder() {
        return Objects.requireNonNull(store().ordered(), "the store has no order");
    }

    private EventEnvelope.Builder of(@Nullable String key, String id) {
        return EventEnvelope.builder("Tick")
                .eventId(id)
                .occurredAt(LONG_AGO)
                .aggregateType("Order")
                .aggregateId(key)
                .payloadJson("{}");
    }

    private List<Placed> once(DuplicatePolicy policy, EventEnvelope... events) throws SQLException {
        return with(conn -> inOrder().insertOnce(conn, List.of(events), policy, "owner"));
    }

    private boolean isFirst(String id) throws SQLException {
        return with(conn -> inOrder().isFirst(conn, id));
    }

    private List<String> claimInOrder(String owner) throws SQLException {
        Claimed claimed = with(conn -> inOrder().claim(conn, owner, LOCK_TIMEOUT, Duration.ZERO, 100));
        return claimed.runs().stream()
                .flatMap(run -> run.events().stream())
                .map(taken -> taken.event().eventId())
                .toList();
    }

    @Test
    default void an_event_that_is_written_once_gets_a_sequence_and_stands_in_line() throws SQLException {
        List<Placed> placed = once(
                DuplicatePolicy.FAIL,
                of("k", "k1").build(),
                of("k", "k2").build(),
                of(null, "loose").build());

        assertTrue(placed.stream().noneMatch(event -> event.receipt().alreadyThere()));
        assertTrue(placed.stream().noneMatch(event -> event.standing() == Standing.FREE));
        assertTrue(placed.get(0).receipt().sequence().getAsLong()
                < placed.get(1).receipt().sequence().getAsLong());
        assertEquals("owner", find("k2").lockedBy());
    }

    @Test
    default void what_was_there_is_free_and_what_comes_with_it_must_be_asked_about() throws SQLException {
        once(DuplicatePolicy.FAIL, of("k", "k1").build());
        with(conn -> leases().markDone(conn, "owner", held("k1")));

        List<Placed> placed = once(
                DuplicatePolicy.IGNORE, of("k", "k1").build(), of("k", "k2").build());

        assertTrue(placed.get(0).receipt().alreadyThere());
        assertEquals(Standing.FREE, placed.get(0).standing());
        assertFalse(placed.get(1).receipt().alreadyThere());
        assertEquals("owner", find("k2").lockedBy());
        assertTrue(isFirst("k2"));
    }

    @Test
    default void a_refused_duplicate_leaves_the_line_as_it_was() throws SQLException {
        once(DuplicatePolicy.FAIL, of("k", "k1").build());

        assertThrows(
                DuplicateEventException.class,
                () -> once(
                        DuplicatePolicy.FAIL,
                        of("k", "k0").build(),
                        of("k", "k1").build()));

        assertNull(fixture().find("k0"));
    }

    @Test
    default void a_delayed_event_keeps_the_later_ones_of_its_key_waiting() throws SQLException {
        List<Standing> standings = with(conn -> inOrder()
                .insert(
                        conn,
                        List.of(
                                of("k", "k1").deliverAfter(Duration.ofHours(1)).build(),
                                of("other", "o1").build(),
                                of(null, "loose")
                                        .deliverAfter(Duration.ofHours(1))
                                        .build()),
                        "owner"));
        with(conn -> inOrder().insert(conn, List.of(of("k", "k2").build()), "owner"));
        assertEquals(Standing.FREE, standings.get(0));
        assertEquals(Standing.FREE, standings.get(2));
        assertNull(find("k1").lockedBy());
        assertEquals("owner", find("o1").lockedBy());
        assertFalse(isFirst("k2"));
        with(conn -> leases().release(conn, "owner", held("k2")));
        assertEquals(List.of(), claimInOrder("owner"));

        fixture().letPass(Duration.ofHours(1).plus(A_MOMENT));
        List<String> due = claimInOrder("owner");

        assertEquals(
                List.of("k1", "k2"),
                due.stream().filter(id -> id.startsWith("k")).toList());
    }
}
