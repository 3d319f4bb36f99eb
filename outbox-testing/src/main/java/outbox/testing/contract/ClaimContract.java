package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
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
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

interface ClaimContract extends StoreTest {

    @Test
    default void a_claim_locks_what_it_returns() throws SQLException {
        insert(event("e1", NOW));

        assertEquals(List.of("e1"), ids(claim("owner", NOW, 10)));

        assertEquals(new StoredEvent("e1", EventStatus.NEW, 0, NOW, NOW, null, null, "owner", NOW), find("e1"));
    }

    @Test
    @SuppressWarnings("NullAway") // the mistake of a caller
    default void a_claim_needs_an_owner() {
        assertEquals(
                "ownerId",
                assertThrows(NullPointerException.class, () -> claim(null, NOW, 10))
                        .getMessage());
    }

    @Test
    default void a_claim_returns_whole_events() throws SQLException {
        insert(EventEnvelope.builder("OrderPlaced")
                .eventId("e1")
                .occurredAt(NOW)
                .aggregateType("Order")
                .aggregateId("o-1")
                .tenantId("t")
                .payloadJson("{\"n\":\"1\"}")
                .build());
        with(conn -> store().markRetry(conn, "e1", NOW, "x"));

        OutboxEvent claimed = claim("owner", NOW, 10).get(0);

        assertEquals(poll(NOW, 10).get(0), claimed);
        assertEquals(1, claimed.attempts());
    }

    @Test
    default void a_claim_takes_the_oldest_and_no_more_than_asked() throws SQLException {
        insert(event("c", NOW), event("b", NOW.minusSeconds(1)), event("a", NOW), event("d", NOW.minusSeconds(2)));

        assertEquals(List.of("d", "b", "a"), ids(claim("owner", NOW, 3)));

        assertNull(find("c").lockedBy());
    }

    @Test
    default void a_locked_event_is_left_to_its_owner_until_the_lock_expires() throws SQLException {
        insert(event("e1", NOW));
        claim("first", NOW, 10);

        assertEquals(List.of(), claim("second", NOW.plusSeconds(1), 10));
        assertEquals(List.of(), claim("first", NOW.plusSeconds(1), 10));
        assertEquals(List.of(), claim("second", NOW.plus(LOCK_TIMEOUT), 10));

        assertEquals(List.of("e1"), ids(claim("second", NOW.plus(LOCK_TIMEOUT).plusMillis(1), 10)));
        assertEquals("second", find("e1").lockedBy());
    }

    @Test
    default void finished_events_are_never_claimed() throws SQLException {
        for (EventStatus status : EventStatus.values()) {
            insertAs(status, "e-" + status);
        }

        assertEquals(List.of("e-NEW", "e-RETRY"), ids(claim("owner", NOW, 10)));
    }

    @Test
    default void a_retry_is_free_for_others_when_due() throws SQLException {
        insert(event("e1", NOW));
        claim("first", NOW, 10);
        with(conn -> store().markRetry(conn, "e1", NOW.plusSeconds(1), "x"));

        assertEquals(List.of("e1"), ids(claim("second", NOW.plusSeconds(1), 10)));
    }

    @Test
    default void two_claims_at_the_same_time_of_the_same_owner_do_not_overlap() throws SQLException {
        insert(event("a", NOW), event("b", NOW));

        assertEquals(List.of("a"), ids(claim("owner", NOW, 1)));
        assertEquals(List.of("b"), ids(claim("owner", NOW, 1)));
        assertEquals(List.of(), ids(claim("owner", NOW, 1)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    default void a_claim_leaves_the_autocommit_mode_as_it_was(boolean autoCommit) throws SQLException {
        insert(event("e1", NOW));

        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(autoCommit);
            assertEquals(1, claim(conn, "owner", NOW, 10).size());
            assertEquals(autoCommit, conn.getAutoCommit());
            if (!autoCommit) {
                conn.commit();
                conn.setAutoCommit(true);
            }
        }

        assertEquals("owner", find("e1").lockedBy());
    }

    @Test
    default void a_claim_inside_the_callers_transaction_ends_with_it() throws SQLException {
        insert(event("e1", NOW));

        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            assertEquals(1, claim(conn, "owner", NOW, 10).size());
            conn.rollback();
            conn.setAutoCommit(true);
        }

        assertNull(find("e1").lockedBy());
        assertEquals(List.of("e1"), ids(claim("other", NOW, 10)));
    }

    @Test
    default void released_events_are_free_at_once() throws SQLException {
        insert(event("a", NOW), event("b", NOW));
        claim("owner", NOW, 10);

        assertEquals(1, count(conn -> store().releaseClaims(conn, "owner", List.of("a"))));

        assertEquals(List.of("a"), ids(claim("other", NOW, 10)));
        assertEquals("owner", find("b").lockedBy());
    }

    @Test
    default void only_the_owner_can_release_and_only_what_is_pending() throws SQLException {
        insert(event("a", NOW), event("b", NOW));
        claim("owner", NOW, 10);
        with(conn -> store().markDone(conn, "b"));

        assertEquals(0, count(conn -> store().releaseClaims(conn, "other", List.of("a"))));
        assertEquals(0, count(conn -> store().releaseClaims(conn, "owner", List.of("b", "none"))));
        assertEquals(0, count(conn -> store().releaseClaims(conn, "owner", List.of())));

        assertEquals("owner", find("a").lockedBy());
        assertEquals(EventStatus.DONE, find("b").status());
    }

    @ParameterizedTest
    @CsvSource({"2, 10000, 500, true", "2, 10000, 500, false", "4, 2000, 100, true", "4, 2000, 100, false"})
    @Timeout(120)
    default void owners_that_claim_at_once_get_disjoint_events_and_together_all(
            int owners, int events, int batch, boolean autoCommit) throws Exception {
        insert(IntStream.range(0, events)
                .mapToObj(i -> event("e" + i, NOW.minusMillis(i % 7)))
                .toArray(EventEnvelope[]::new));
        AtomicInteger left = new AtomicInteger(events);

        List<String> claimed = concurrently(owners, owner -> claimUntilNoneLeft(owner, left, batch, autoCommit));

        assertEquals(events, claimed.size());
        assertEquals(events, new HashSet<>(claimed).size(), "an event was claimed twice");
    }

    /** An empty claim does not mean the end: others may hold what is left for a moment and give it up. */
    private List<String> claimUntilNoneLeft(String owner, AtomicInteger left, int batch, boolean autoCommit)
            throws SQLException {
        List<String> mine = new ArrayList<>();
        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(autoCommit);
            while (left.get() > 0 && !Thread.currentThread().isInterrupted()) {
                List<OutboxEvent> claimed = claim(conn, owner, NOW, batch);
                if (!autoCommit) {
                    conn.commit();
                }
                assertTrue(claimed.size() <= batch);
                mine.addAll(ids(claimed));
                left.addAndGet(-claimed.size());
            }
            conn.setAutoCommit(true);
        }
        return mine;
    }
}
