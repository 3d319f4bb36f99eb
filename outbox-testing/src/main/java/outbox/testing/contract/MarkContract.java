package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.spi.OutboxStore;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

interface MarkContract extends StoreTest {

    Instant LATER = NOW.plusSeconds(90);

    interface Mark {
        int on(Connection conn, String id);
    }

    @ParameterizedTest
    @EnumSource(EventStatus.class)
    default void mark_done_ends_a_pending_event_and_leaves_a_finished_one(EventStatus from) throws SQLException {
        checkMark(from, EventStatus.DONE, (conn, id) -> store().markDone(conn, id));
    }

    @ParameterizedTest
    @EnumSource(EventStatus.class)
    default void mark_retry_reschedules_a_pending_event_and_leaves_a_finished_one(EventStatus from)
            throws SQLException {
        checkMark(from, EventStatus.RETRY, (conn, id) -> store().markRetry(conn, id, LATER, "again"));
    }

    @ParameterizedTest
    @EnumSource(EventStatus.class)
    default void mark_dead_ends_a_pending_event_and_leaves_a_finished_one(EventStatus from) throws SQLException {
        checkMark(from, EventStatus.DEAD, (conn, id) -> store().markDead(conn, id, "over"));
    }

    private void checkMark(EventStatus from, EventStatus to, Mark mark) throws SQLException {
        insertAs(from, "e1");
        StoredEvent before = find("e1");
        boolean terminal = from == EventStatus.DONE || from == EventStatus.DEAD;

        int changed = with(conn -> mark.on(conn, "e1"));

        assertEquals(terminal ? 0 : 1, changed);
        if (terminal) {
            assertEquals(before, find("e1"));
        } else {
            assertEquals(to, find("e1").status());
        }
    }

    @Test
    default void marks_with_a_limit_of_time_are_the_same_marks() throws SQLException {
        OutboxStore limited = store().withMarkTimeout(Duration.ofSeconds(30));
        insert(event("done", NOW), event("retry", NOW), event("dead", NOW), event("single", NOW));

        assertEquals(1, count(conn -> limited.markDoneAll(conn, List.of("done"))));
        assertEquals(
                1, count(conn -> limited.markRetryAll(conn, List.of(new OutboxStore.Retry("retry", LATER, "again")))));
        assertEquals(1, count(conn -> limited.markDeadAll(conn, List.of(new OutboxStore.Dead("dead", "over")))));
        assertEquals(1, count(conn -> limited.markDone(conn, "single")));

        assertEquals(EventStatus.DONE, find("done").status());
        assertEquals(EventStatus.RETRY, find("retry").status());
        assertEquals(EventStatus.DEAD, find("dead").status());
        assertEquals(EventStatus.DONE, find("single").status());
        assertEquals(store().leases() == null, limited.leases() == null);
    }

    @Test
    default void rows_that_nobody_has_locked_are_locked_and_missing_ones_are_not_taken_for_locked()
            throws SQLException {
        insert(event("e1", NOW), event("e2", NOW));
        with(conn -> {
            if (store().canSkipLocked(conn)) {
                assertEquals(Set.of(), store().lockOrSkip(conn, List.of("e1", "none", "e2")));
                assertEquals(Set.of(), store().lockOrSkip(conn, List.of()));
            } else {
                assertThrows(UnsupportedOperationException.class, () -> store().lockOrSkip(conn, List.of("e1")));
            }
            return 0;
        });
        assertEquals(EventStatus.NEW, find("e1").status());
    }

    @Test
    default void marks_of_an_unknown_event_change_nothing() throws SQLException {
        assertEquals(0, count(conn -> store().markDone(conn, "none")));
        assertEquals(0, count(conn -> store().markRetry(conn, "none", NOW, "x")));
        assertEquals(0, count(conn -> store().markDead(conn, "none", "x")));
    }

    @Test
    default void done_sets_its_time_and_frees_the_lock() throws SQLException {
        insert(event("e1", NOW));
        claim("owner", NOW, 1);

        with(conn -> store().markDone(conn, "e1"));

        StoredEvent done = find("e1");
        assertNotNull(done.doneAt());
        assertNull(done.lockedBy());
        assertNull(done.lockedAt());
        assertEquals(0, done.attempts());
    }

    @Test
    default void retry_counts_the_attempt_keeps_the_error_and_frees_the_lock() throws SQLException {
        insert(event("e1", NOW));
        claim("owner", NOW, 1);

        with(conn -> store().markRetry(conn, "e1", LATER, "connection refused ü"));

        assertEquals(
                new StoredEvent("e1", EventStatus.RETRY, 1, LATER, NOW, null, "connection refused ü", null, null),
                find("e1"));
        with(conn -> store().markRetry(conn, "e1", LATER, "again"));
        assertEquals(2, find("e1").attempts());
    }

    @Test
    default void dead_sets_its_time_keeps_the_error_and_frees_the_lock() throws SQLException {
        insert(event("e1", NOW));
        claim("owner", NOW, 1);

        with(conn -> store().markDead(conn, "e1", "no listener"));

        StoredEvent dead = find("e1");
        assertNotNull(dead.doneAt());
        assertEquals("no listener", dead.lastError());
        assertNull(dead.lockedBy());
        assertNull(dead.lockedAt());
    }

    @Test
    default void a_long_error_is_cut_and_says_so() throws SQLException {
        insert(event("e1", NOW), event("e2", NOW));

        with(conn -> store().markRetry(conn, "e1", LATER, "ü".repeat(4001)));
        with(conn -> store().markDead(conn, "e2", "x".repeat(4000)));

        String cut = find("e1").lastError();
        assertNotNull(cut);
        assertTrue(cut.length() <= 4000 && cut.endsWith("..."), cut::toString);
        assertEquals("x".repeat(4000), find("e2").lastError());
    }

    @Test
    default void a_mark_in_a_rolled_back_transaction_is_undone() throws SQLException {
        insert(event("e1", NOW));

        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            store().markDone(conn, "e1");
            conn.rollback();
            conn.setAutoCommit(true);
        }

        assertEquals(EventStatus.NEW, find("e1").status());
    }

    /** Brings one event into each state and claims the pending ones. */
    private List<String> oneOfEachState() throws SQLException {
        for (EventStatus status : EventStatus.values()) {
            insertAs(status, "e-" + status);
        }
        claim("owner", NOW, 10);
        return List.of("e-NEW", "e-DONE", "e-RETRY", "e-DEAD", "unknown");
    }

    @Test
    default void many_are_marked_done_at_once_and_finished_ones_left() throws SQLException {
        List<String> ids = oneOfEachState();
        StoredEvent doneBefore = find("e-DONE");
        StoredEvent deadBefore = find("e-DEAD");

        assertEquals(2, count(conn -> store().markDoneAll(conn, ids)));

        assertEquals(EventStatus.DONE, find("e-NEW").status());
        assertEquals(EventStatus.DONE, find("e-RETRY").status());
        assertNotNull(find("e-NEW").doneAt());
        assertNull(find("e-NEW").lockedBy());
        assertEquals(doneBefore, find("e-DONE"));
        assertEquals(deadBefore, find("e-DEAD"));
        assertEquals(0, count(conn -> store().markDoneAll(conn, List.of())));
    }

    @Test
    default void many_are_rescheduled_at_once_each_with_its_own_time_and_error() throws SQLException {
        oneOfEachState();

        int changed = count(conn -> store().markRetryAll(
                        conn,
                        List.of(
                                new OutboxStore.Retry("e-NEW", LATER, "first"),
                                new OutboxStore.Retry("e-DONE", LATER, "never"),
                                new OutboxStore.Retry("e-RETRY", NOW, "ü".repeat(4001)))));

        assertEquals(2, changed);
        assertEquals(
                new StoredEvent("e-NEW", EventStatus.RETRY, 1, LATER, NOW, null, "first", null, null), find("e-NEW"));
        assertEquals(2, find("e-RETRY").attempts());
        assertEquals(NOW, find("e-RETRY").availableAt());
        assertEquals(4000, String.valueOf(find("e-RETRY").lastError()).length());
        assertEquals(EventStatus.DONE, find("e-DONE").status());
    }

    @Test
    default void many_die_at_once_each_with_its_own_error() throws SQLException {
        oneOfEachState();

        int changed = count(conn -> store().markDeadAll(
                        conn,
                        List.of(
                                new OutboxStore.Dead("e-NEW", "no listener"),
                                new OutboxStore.Dead("e-RETRY", "poison"),
                                new OutboxStore.Dead("e-DEAD", "again"))));

        assertEquals(2, changed);
        assertEquals(EventStatus.DEAD, find("e-NEW").status());
        assertEquals("no listener", find("e-NEW").lastError());
        assertEquals("poison", find("e-RETRY").lastError());
        assertNotNull(find("e-RETRY").doneAt());
        assertNull(find("e-RETRY").lockedBy());
        assertEquals("fatal failure", find("e-DEAD").lastError());
    }

    @Test
    default void delivered_events_can_be_deleted_and_finished_ones_stay() throws SQLException {
        List<String> ids = oneOfEachState();

        assertEquals(2, count(conn -> store().deleteAll(conn, ids)));

        assertNull(fixture().find("e-NEW"));
        assertNull(fixture().find("e-RETRY"));
        assertEquals(EventStatus.DONE, find("e-DONE").status());
        assertEquals(EventStatus.DEAD, find("e-DEAD").status());
        assertEquals(0, count(conn -> store().deleteAll(conn, List.of())));
    }

    @Test
    default void five_hundred_are_marked_at_once() throws SQLException {
        List<String> ids = IntStream.range(0, 500).mapToObj(i -> "e" + i).toList();
        insert(ids.stream().map(id -> event(id, NOW)).toArray(EventEnvelope[]::new));

        assertEquals(500, count(conn -> store().markDoneAll(conn, ids)));

        assertEquals(List.of(), poll(NOW, 10));
    }

    @Test
    default void marks_of_many_in_a_rolled_back_transaction_are_undone() throws SQLException {
        insert(event("a", NOW), event("b", NOW), event("c", NOW));

        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            store().markDoneAll(conn, List.of("a"));
            store().deleteAll(conn, List.of("b"));
            store().markDeadAll(conn, List.of(new OutboxStore.Dead("c", "x")));
            conn.rollback();
            conn.setAutoCommit(true);
        }

        assertEquals(List.of("a", "b", "c"), ids(poll(NOW, 10)));
    }
}
