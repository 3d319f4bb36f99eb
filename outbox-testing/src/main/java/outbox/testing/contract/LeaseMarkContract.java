package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.HeldDead;
import outbox.spi.LeaseStore.HeldRetry;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How leases end with the outcome of a delivery, and that they do so for nobody but the one who holds them. */
interface LeaseMarkContract extends LeaseTest {

    /** The ends that a hold can have. */
    enum End {
        DONE,
        DELETED,
        RETRY,
        DEAD;

        Set<String> mark(LeaseStore leases, Connection conn, String owner, List<String> events) {
            return switch (this) {
                case DONE -> leases.markDone(conn, owner, events);
                case DELETED -> leases.delete(conn, owner, events);
                case RETRY ->
                    leases.markRetry(
                            conn,
                            owner,
                            events.stream()
                                    .map(id -> new HeldRetry(id, 1, Duration.ofHours(1), "later"))
                                    .toList());
                case DEAD ->
                    leases.markDead(
                            conn,
                            owner,
                            events.stream().map(id -> new HeldDead(id, "over")).toList());
            };
        }

        boolean isOf(@Nullable StoredEvent row) {
            return row == null ? this == DELETED : row.status().name().equals(name());
        }
    }

    private Set<String> mark(End end, String owner, List<String> events) throws SQLException {
        return with(conn -> end.mark(leases(), conn, owner, events));
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void what_is_held_is_marked_and_its_lease_ended(End end) throws SQLException {
        insertLeased("owner", event("inserted"));
        insert(event("claimed"));
        lease("owner");

        assertEquals(Set.of(), mark(end, "owner", held("inserted", "claimed")));

        for (String id : List.of("inserted", "claimed")) {
            StoredEvent row = fixture().find(id);
            assertTrue(end.isOf(row), () -> "is " + row);
            if (row != null) {
                assertNull(row.lockedBy());
                assertNull(row.lockedAt());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void what_another_owner_holds_is_left_and_told(End end) throws SQLException {
        insertLeased("owner", event("e1"));
        StoredEvent before = find("e1");

        assertEquals(Set.of("e1"), mark(end, "other", held("e1")));

        assertEquals(before, find("e1"));
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void what_nobody_holds_is_left_and_told(End end) throws SQLException {
        insertLeased("owner", event("e1"));
        with(conn -> leases().release(conn, "owner", held("e1")));
        StoredEvent before = find("e1");

        assertEquals(Set.of("e1"), mark(end, "owner", held("e1")));

        assertEquals(before, find("e1"));
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void what_another_owner_took_over_and_gave_back_counts_no_more(End end) throws SQLException {
        insertLeased("owner", event("e1"));
        letLeasesExpire();
        lease("other");
        with(conn -> leases().release(conn, "other", held("e1")));
        StoredEvent before = find("e1");

        assertEquals(Set.of("e1"), mark(end, "owner", held("e1")));

        assertEquals(before, find("e1"));
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void what_the_owner_claims_again_is_still_its_own(End end) throws SQLException {
        insertLeased("owner", event("e1"));
        letLeasesExpire();
        lease("owner");

        assertEquals(Set.of(), mark(end, "owner", held("e1")));

        assertTrue(end.isOf(fixture().find("e1")));
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void a_lease_that_expired_counts_as_long_as_nobody_took_it(End end) throws SQLException {
        insertLeased("owner", event("e1"));
        letLeasesExpire();

        assertEquals(Set.of(), mark(end, "owner", held("e1")));

        assertTrue(end.isOf(fixture().find("e1")));
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void finished_events_are_left_and_told(End end) throws SQLException {
        insertLeased("owner", event("done"), event("dead"));
        with(conn -> leases().markDone(conn, "owner", held("done")));
        with(conn -> store().markDead(conn, "dead", "x"));
        List<StoredEvent> before = findAll(List.of("done", "dead"));

        assertEquals(Set.of("done", "dead"), mark(end, "owner", held("done", "dead")));

        assertEquals(before, findAll(List.of("done", "dead")));
    }

    @ParameterizedTest
    @EnumSource(
            value = End.class,
            names = {"DONE", "RETRY", "DEAD"})
    default void unknown_events_are_told(End end) throws SQLException {
        assertEquals(Set.of("unknown"), mark(end, "owner", held("unknown")));
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void no_events_are_marked_without_complaint(End end) throws SQLException {
        assertEquals(Set.of(), mark(end, "owner", List.of()));
    }

    private void insertTried(int attempts, String... ids) throws SQLException {
        for (String id : ids) {
            insert(event(id));
            for (int i = 0; i < attempts; i++) {
                with(conn -> store().markRetry(conn, id, LONG_AGO, "x"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void of_a_mixed_list_exactly_those_are_told_that_are_not_held(End end) throws SQLException {
        insertTried(0, "new-1", "new-2", "finished", "taken", "released");
        insertTried(1, "once");
        insertTried(3, "thrice", "thrice-finished");
        lease("owner");
        with(conn -> leases().release(conn, "owner", held("taken")));
        lease("other");
        with(conn -> leases().release(conn, "owner", held("released")));
        with(conn -> leases().markDone(conn, "owner", held("finished", "thrice-finished")));

        List<String> given =
                held("thrice-finished", "thrice", "new-1", "finished", "taken", "new-2", "released", "once");
        Set<String> late = Set.of("thrice-finished", "finished", "taken", "released");
        List<StoredEvent> before = findAll(late);

        assertEquals(late, mark(end, "owner", given));

        assertEquals(before, findAll(late));
        for (String id : List.of("new-1", "new-2", "once", "thrice")) {
            assertTrue(end.isOf(fixture().find(id)), id);
        }
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void five_hundred_are_marked_and_the_late_ones_among_them_told(End end) throws SQLException {
        String[] ids = IntStream.range(0, 500).mapToObj(i -> "e" + i).toArray(String[]::new);
        insertLeased("owner", Arrays.stream(ids).map(this::event).toArray(EventEnvelope[]::new));
        with(conn -> leases().release(conn, "owner", held("e7", "e499")));

        assertEquals(Set.of("e7", "e499"), mark(end, "owner", held(ids)));

        assertEquals(List.of("e499", "e7"), lease("other"));
    }

    @ParameterizedTest
    @EnumSource(End.class)
    default void marks_in_a_rolled_back_transaction_are_undone_and_the_events_still_held(End end) throws SQLException {
        insertLeased("owner", event("a"), event("b"));
        List<StoredEvent> before = findAll(List.of("a", "b"));

        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            assertEquals(Set.of(), end.mark(leases(), conn, "owner", held("a", "b")));
            conn.rollback();
            conn.setAutoCommit(true);
        }

        assertEquals(before, findAll(List.of("a", "b")));
        assertEquals(Set.of(), mark(end, "owner", held("a", "b")));
    }

    @Test
    default void done_sets_its_time_and_keeps_the_attempts_and_the_error() throws SQLException {
        insertAs(EventStatus.RETRY, "e1");
        lease("owner");

        mark(End.DONE, "owner", held("e1"));

        StoredEvent done = find("e1");
        assertNotNull(done.doneAt());
        assertEquals(1, done.attempts());
        assertEquals("first failure", done.lastError());
    }

    @Test
    default void each_retry_has_its_own_number_of_attempts_delay_and_error() throws SQLException {
        insertLeased("owner", event("soon"), event("late"));

        with(conn -> leases().markRetry(
                        conn,
                        "owner",
                        List.of(
                                new HeldRetry("soon", 1, Duration.ofMinutes(10), "connection refused ü"),
                                new HeldRetry("late", 7, Duration.ofHours(10), "ü".repeat(4001)))));

        assertEquals(1, find("soon").attempts());
        assertEquals(7, find("late").attempts());
        assertEquals("connection refused ü", find("soon").lastError());
        assertEquals(4000, String.valueOf(find("late").lastError()).length());
        assertNull(find("soon").doneAt());
        fixture().letPass(Duration.ofMinutes(10).plus(A_MOMENT));
        assertEquals(List.of("soon"), lease("other"));
    }

    @Test
    default void each_dead_event_has_its_own_error_or_keeps_the_one_it_had() throws SQLException {
        insertAs(EventStatus.RETRY, "kept");
        insertAs(EventStatus.RETRY, "new");
        insertAs(EventStatus.NEW, "none");
        insertAs(EventStatus.NEW, "long");
        lease("owner");

        Set<String> late = with(conn -> leases().markDead(
                        conn,
                        "owner",
                        List.of(
                                new HeldDead("kept", null),
                                new HeldDead("new", "poison ü"),
                                new HeldDead("none", null),
                                new HeldDead("long", "x".repeat(4001)))));

        assertEquals(Set.of(), late);
        assertEquals("first failure", find("kept").lastError());
        assertEquals("poison ü", find("new").lastError());
        assertEquals(LeaseStore.USED_UP, find("none").lastError());
        assertEquals(4000, String.valueOf(find("long").lastError()).length());
        assertNotNull(find("kept").doneAt());
        assertEquals(1, find("kept").attempts(), "an end counts no attempt");
    }
}
