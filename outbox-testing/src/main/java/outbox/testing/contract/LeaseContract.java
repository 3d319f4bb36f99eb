package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
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

/** How leases begin, are kept and are given back. */
interface LeaseContract extends LeaseTest {

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
        assertEquals("Lease expired, owner writer", find("e1").lastError());
    }

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
        with(conn -> leases().markRetry(
                        conn, "owner", List.of(new HeldRetry(held(0, "e1").get(0), Duration.ofHours(2), "x"))));

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
        with(conn -> leases().markRetry(
                        conn, "owner", List.of(new HeldRetry(held(0, "e1").get(0), Duration.ZERO, "x"))));

        assertEquals(List.of("e1"), lease("other"));
    }

    @Test
    default void finished_events_are_never_leased() throws SQLException {
        for (EventStatus status : EventStatus.values()) {
            insertAs(status, "e-" + status);
        }

        assertEquals(List.of("e-NEW", "e-RETRY"), lease("owner"));
    }

    @Test
    default void a_leased_event_is_left_to_its_owner_until_the_lease_expires() throws SQLException {
        insert(event("e1"));
        lease("first");

        assertEquals(List.of(), lease("second"));
        assertEquals(List.of(), lease("first"));
        fixture().letPass(LOCK_TIMEOUT.minus(A_MOMENT));
        assertEquals(List.of(), lease("second"));
        fixture().letPass(A_MOMENT.multipliedBy(2));
        assertEquals(List.of("e1"), lease("second"));
        assertEquals("second", find("e1").lockedBy());
        assertEquals(List.of(), lease("third"), "the lease is new");
    }

    @ParameterizedTest
    @EnumSource(
            value = EventStatus.class,
            names = {"NEW", "RETRY"})
    default void a_lease_that_expired_counts_an_attempt_and_names_its_owner(EventStatus status) throws SQLException {
        insertAs(status, "e1");
        lease("first");
        int attempts = find("e1").attempts();
        letLeasesExpire();

        OutboxEvent taken = lease("second", Duration.ZERO, 10).get(0);

        assertEquals(attempts + 1, taken.attempts());
        assertEquals(attempts + 1, find("e1").attempts());
        assertEquals("Lease expired, owner first", find("e1").lastError());
        assertEquals(status, find("e1").status());
        letLeasesExpire();
        lease("third");
        assertEquals(attempts + 2, find("e1").attempts());
        assertEquals("Lease expired, owner second", find("e1").lastError());
    }

    @Test
    default void an_owner_that_takes_its_own_expired_lease_again_counts_an_attempt_too() throws SQLException {
        insertLeased("owner", event("e1"));
        letLeasesExpire();

        assertEquals(List.of("e1"), lease("owner"));

        assertEquals(1, find("e1").attempts());
        assertEquals("Lease expired, owner owner", find("e1").lastError());
    }

    @Test
    default void free_and_expired_events_are_leased_together_and_only_the_expired_ones_counted() throws SQLException {
        insertLeased("first", event("expired"));
        letLeasesExpire();
        insertLeased("first", event("kept"));
        insert(event("free"));

        List<OutboxEvent> leased = lease("second", Duration.ZERO, 10);

        assertEquals(Set.of("expired", "free"), new HashSet<>(ids(leased)));
        leased.forEach(event -> assertEquals(event.eventId().equals("expired") ? 1 : 0, event.attempts()));
        assertNull(find("free").lastError());
        assertEquals("first", find("kept").lockedBy());
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

    @Test
    default void a_renewed_lease_does_not_expire() throws SQLException {
        insertLeased("owner", event("renewed"), event("forgotten"));
        fixture().letPass(LOCK_TIMEOUT.minus(A_MOMENT));

        assertEquals(Set.of("renewed"), with(conn -> leases().renew(conn, "owner", List.of("renewed"))));

        fixture().letPass(A_MOMENT.multipliedBy(2));
        assertEquals(List.of("forgotten"), lease("other"));
        assertEquals(0, find("renewed").attempts());
        assertEquals("owner", find("renewed").lockedBy());
    }

    @Test
    default void a_lease_that_expired_can_be_renewed_as_long_as_nobody_took_it() throws SQLException {
        insertLeased("owner", event("e1"));
        letLeasesExpire();

        assertEquals(Set.of("e1"), with(conn -> leases().renew(conn, "owner", List.of("e1"))));

        assertEquals(List.of(), lease("other"));
    }

    @Test
    default void only_what_is_still_held_is_renewed() throws SQLException {
        insertLeased("owner", event("held-1"), event("held-2"), event("done"), event("dead"), event("released"));
        insertLeased("other", event("others"));
        insert(event("free"));
        with(conn -> leases().markDone(conn, "owner", held(0, "done")));
        with(conn -> store().markDead(conn, "dead", "x"));
        with(conn -> leases().release(conn, "owner", held(0, "released")));
        List<String> notHeld = List.of("done", "dead", "released", "others", "free");
        List<StoredEvent> before = findAll(notHeld);

        List<String> all = new ArrayList<>(notHeld);
        all.addAll(List.of("held-1", "held-2", "unknown"));
        Set<String> renewed = with(conn -> leases().renew(conn, "owner", all));

        assertEquals(Set.of("held-1", "held-2"), renewed);
        assertEquals(before, findAll(notHeld));
        assertEquals(Set.of(), with(conn -> leases().renew(conn, "owner", List.of())));
    }

    @Test
    default void released_events_are_free_at_once_and_count_no_attempt() throws SQLException {
        insertLeased("owner", event("a"), event("b"));

        assertEquals(1, count(conn -> leases().release(conn, "owner", held(0, "a"))));

        assertNull(find("a").lockedBy());
        assertNull(find("a").lockedAt());
        assertEquals(List.of("a"), lease("other"));
        assertEquals(0, find("a").attempts());
        assertNull(find("a").lastError());
        assertEquals("owner", find("b").lockedBy());
    }

    @Test
    default void only_the_owner_releases_and_only_what_is_pending() throws SQLException {
        insertLeased("owner", event("a"), event("done"));
        with(conn -> leases().markDone(conn, "owner", held(0, "done")));
        StoredEvent done = find("done");

        assertEquals(0, count(conn -> leases().release(conn, "other", held(0, "a"))));
        assertEquals(0, count(conn -> leases().release(conn, "owner", held(0, "done", "unknown"))));
        assertEquals(0, count(conn -> leases().release(conn, "owner", held(1, "a"))));
        assertEquals(0, count(conn -> leases().release(conn, "owner", List.of())));

        assertEquals("owner", find("a").lockedBy());
        assertEquals(done, find("done"));
    }
}
