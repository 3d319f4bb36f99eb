package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Events that are due later. */
interface DelayContract extends LeaseTest {

    private EventEnvelope.Builder at(String id, Instant occurredAt) {
        assumeTrue(store().canDelay(), "the store cannot delay events");
        return EventEnvelope.builder("Reminder")
                .eventId(id)
                .occurredAt(occurredAt)
                .payloadJson("{}");
    }

    private EventEnvelope until(String id, Instant availableAt) {
        return at(id, NOW).availableAt(availableAt).build();
    }

    private EventEnvelope after(String id, Duration delay) {
        return at(id, LONG_AGO).deliverAfter(delay).build();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    default void an_event_with_a_time_is_found_from_then_on(int events) throws SQLException {
        Instant due = NOW.plus(1, ChronoUnit.HOURS);
        List<EventEnvelope> all = List.of(until("e1", due), event("e2", NOW), until("e3", due.plusSeconds(1)));
        insert(all.subList(0, events).toArray(EventEnvelope[]::new));

        assertEquals(due, find("e1").availableAt());
        assertEquals(NOW, find("e1").createdAt());
        assertEquals(events == 1 ? List.of() : List.of("e2"), ids(poll(due.minus(1, ChronoUnit.MICROS), 10)));
        assertEquals(events == 1 ? List.of("e1") : List.of("e1", "e2"), ids(poll(due, 10)));
        assertEquals(events == 1 ? List.of("e1") : List.of("e1", "e2"), ids(claim("owner", due, 10)));
    }

    @Test
    default void a_delay_begins_with_the_insert() throws SQLException {
        Instant before = Instant.now();
        insert(after("single", Duration.ofHours(1)));
        insert(after("one", Duration.ofHours(2)), event("none", LONG_AGO));
        Instant after = Instant.now();

        // Database and test run on the same machine.
        StoredEvent single = find("single");
        Duration slack = Duration.ofSeconds(2);
        assertTrue(single.availableAt().isAfter(before.plus(1, ChronoUnit.HOURS).minus(slack)), single::toString);
        assertTrue(single.availableAt().isBefore(after.plus(1, ChronoUnit.HOURS).plus(slack)), single::toString);
        StoredEvent one = find("one");
        assertTrue(one.availableAt().isAfter(before.plus(2, ChronoUnit.HOURS).minus(slack)), one::toString);
        assertTrue(one.availableAt().isBefore(after.plus(2, ChronoUnit.HOURS).plus(slack)), one::toString);
        assertEquals(LONG_AGO, single.createdAt());
        assertEquals(LONG_AGO, find("none").availableAt());
    }

    @Test
    default void a_delayed_event_is_leased_to_nobody_before_it_is_due() throws SQLException {
        Instant later = Instant.now().plus(30, ChronoUnit.MINUTES);
        insertLeased(
                "owner",
                after("a", Duration.ofHours(1)),
                event("b"),
                at("c", LONG_AGO).availableAt(later).build());

        assertNull(find("a").lockedBy());
        assertNull(find("a").lockedAt());
        assertEquals("owner", find("b").lockedBy());
        assertNull(find("c").lockedBy());
        assertEquals(List.of(), lease("other"));

        fixture().letPass(Duration.ofMinutes(35));
        assertTrue(lease("other").contains("c"));
        fixture().letPass(Duration.ofMinutes(35));
        assertTrue(lease("other").contains("a"));
    }

    /** For one that is ahead its own time would have come already. */
    @ParameterizedTest
    @ValueSource(ints = {-10, 10})
    default void the_clock_of_the_process_that_wrote_an_event_does_not_matter(int minutesAhead) throws SQLException {
        leases();
        Instant skewed = Instant.now().plus(minutesAhead, ChronoUnit.MINUTES);
        Instant later = Instant.now().plus(5, ChronoUnit.MINUTES);
        insert(at("delay", skewed).deliverAfter(Duration.ofMinutes(5)).build());
        insert(at("time", skewed).availableAt(later).build());
        insert(at("same", later).availableAt(later).build());
        assertEquals(List.of(), lease("owner"));

        fixture().letPass(Duration.ofMinutes(5).plus(A_MOMENT));
        assertEquals(Set.of("delay", "time", "same"), Set.copyOf(lease("owner")));
    }

    @Test
    default void a_time_that_has_passed_means_now() throws SQLException {
        insert(at("a", Instant.now()).availableAt(Instant.MIN).build());

        assertEquals(List.of("a"), lease("owner"));
    }

    @Test
    default void an_event_that_is_written_once_may_be_delayed() throws SQLException {
        Instant due = NOW.plus(1, ChronoUnit.HOURS);
        with(conn -> store().insertOnce(conn, List.of(until("a", due), event("b", NOW)), DuplicatePolicy.FAIL));
        with(conn -> leases().insertOnce(
                        conn,
                        List.of(after("c", Duration.ofHours(1)), event("d")),
                        DuplicatePolicy.FAIL,
                        "owner",
                        Set.of("d")));

        assertEquals(due, find("a").availableAt());
        assertEquals(NOW, find("b").availableAt());
        assertTrue(find("c").availableAt().isAfter(LONG_AGO));
        assertNull(find("c").lockedBy());
        assertEquals("owner", find("d").lockedBy());
    }
}
