package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore.HeldRetry;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Claims lease what is due, oldest first, and no event twice. */
interface LeaseContract extends LeaseTest {

    @Test
    default void a_lease_shows_owner_and_time_and_nothing_else_changes() throws SQLException {
        insert(event("e1"));

        assertEquals(List.of("e1"), lease("owner"));

        StoredEvent leased = find("e1");
        Instant lockedAt = leased.lockedAt();
        assertNotNull(lockedAt);
        assertEquals(
                new StoredEvent("e1", EventStatus.NEW, 0, LONG_AGO, LONG_AGO, null, null, "owner", lockedAt), leased);
    }

    @Test
    default void whole_events_are_leased_oldest_first_and_no_more_than_asked() throws SQLException {
        insert(event("c"), event("b", LONG_AGO.minusSeconds(1)), event("a"), event("d", LONG_AGO.minusSeconds(2)));
        List<OutboxEvent> oldest = poll(NOW, 3);

        assertEquals(oldest, lease("owner", Duration.ZERO, 3));

        assertEquals(List.of("d", "b", "a"), ids(oldest));
        assertNull(find("c").lockedBy());
    }

    @Test
    default void recent_events_are_left_out_if_so_wished() throws SQLException {
        insert(event("recent", Instant.now()), event("old"));

        assertEquals(List.of("old"), ids(lease("owner", Duration.ofDays(1), 10)));
        assertEquals(List.of(), ids(lease("owner", Duration.ofDays(1), 10)));
        assertEquals(List.of("recent"), ids(lease("owner", Duration.ZERO, 10)));
    }

    @Test
    default void an_event_is_recent_only_for_so_long() throws SQLException {
        insert(event("e1", Instant.now()));

        assertEquals(List.of(), ids(lease("owner", Duration.ofDays(1), 10)));
        fixture().letPass(Duration.ofDays(2));
        assertEquals(List.of("e1"), ids(lease("owner", Duration.ofDays(1), 10)));
    }

    @Test
    default void an_event_from_a_clock_that_is_ahead_is_due_at_once() throws SQLException {
        insert(event("e1", Instant.now().plus(Duration.ofMinutes(10))));

        assertEquals(List.of("e1"), lease("owner"));
    }

    @Test
    default void a_retry_is_left_until_it_is_due_by_the_databases_clock() throws SQLException {
        insertLeased("owner", event("e1"));
        with(conn -> leases().markRetry(conn, "owner", List.of(new HeldRetry("e1", 1, Duration.ofHours(2), "x"))));

        assertEquals(List.of(), lease("other"));
        fixture().letPass(Duration.ofHours(2).minus(A_MOMENT));
        assertEquals(List.of(), lease("other"));
        fixture().letPass(A_MOMENT.multipliedBy(2));
        assertEquals(List.of("e1"), lease("other"));
        assertEquals(1, find("e1").attempts(), "it had been given back, not lost");
        assertEquals("x", find("e1").lastError());
    }

    @Test
    default void a_retry_without_delay_is_due_at_once() throws SQLException {
        insertLeased("owner", event("e1"));
        with(conn -> leases().markRetry(conn, "owner", List.of(new HeldRetry("e1", 1, Duration.ZERO, "x"))));

        assertEquals(List.of("e1"), lease("other"));
    }

    @Test
    default void finished_events_are_never_leased() throws SQLException {
        for (EventStatus status : EventStatus.values()) {
            insertAs(status, "e-" + status);
        }

        assertEquals(List.of("e-NEW", "e-RETRY"), lease("owner"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    default void a_lease_leaves_the_autocommit_mode_as_it_was(boolean autoCommit) throws SQLException {
        insert(event("e1"));

        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(autoCommit);
            assertEquals(List.of("e1"), lease(conn, "owner", 10));
            assertEquals(autoCommit, conn.getAutoCommit());
            if (!autoCommit) {
                conn.commit();
                conn.setAutoCommit(true);
            }
        }

        assertEquals("owner", find("e1").lockedBy());
    }

    @Test
    default void a_lease_inside_the_callers_transaction_ends_with_it() throws SQLException {
        insert(event("free"));
        insertLeased("first", event("expired"));
        letLeasesExpire();

        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            assertEquals(2, lease(conn, "owner", 10).size());
            conn.rollback();
            conn.setAutoCommit(true);
        }

        assertNull(find("free").lockedBy());
        assertEquals("first", find("expired").lockedBy());
        assertEquals(0, find("expired").attempts());
        assertNull(find("expired").lastError());
        assertEquals(2, lease("other").size());
    }

    @ParameterizedTest
    @CsvSource({"2, 4000, 200, false", "4, 2000, 50, false", "4, 2000, 50, true"})
    @Timeout(120)
    default void no_two_claims_at_once_lease_the_same_event_and_together_they_lease_all(
            int claims, int events, int batch, boolean sameOwner) throws Exception {
        leases();
        insert(IntStream.range(0, events)
                .mapToObj(i -> event("e" + i, LONG_AGO.minusMillis(i % 7)))
                .toArray(EventEnvelope[]::new));
        AtomicInteger left = new AtomicInteger(events);

        List<String> leased =
                concurrently(claims, owner -> leaseUntilNoneLeft(sameOwner ? "owner" : owner, left, batch));

        assertEquals(events, leased.size());
        assertEquals(events, new HashSet<>(leased).size(), "an event was leased twice");
    }

    /** An empty claim does not mean the end: others may hold what is left for a moment and give it up. */
    private List<String> leaseUntilNoneLeft(String owner, AtomicInteger left, int batch) throws SQLException {
        List<String> mine = new ArrayList<>();
        try (Connection conn = fixture().connect()) {
            while (left.get() > 0 && !Thread.currentThread().isInterrupted()) {
                List<String> leased = lease(conn, owner, batch);
                assertTrue(leased.size() <= batch);
                mine.addAll(leased);
                left.addAndGet(-leased.size());
            }
        }
        return mine;
    }
}
