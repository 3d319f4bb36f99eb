package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventStatus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

interface PollContract extends StoreTest {

    @Test
    default void finds_new_and_retried_events_only() throws SQLException {
        for (EventStatus status : EventStatus.values()) {
            insertAs(status, "e-" + status);
        }

        assertEquals(List.of("e-NEW", "e-RETRY"), ids(poll(NOW, 10)));
    }

    @Test
    default void oldest_first_and_equal_times_by_id() throws SQLException {
        insert(event("b", NOW), event("c", NOW.minusSeconds(1)), event("a", NOW), event("d", NOW.minusNanos(1000)));

        assertEquals(List.of("c", "d", "a", "b"), ids(poll(NOW, 10)));
        assertEquals(List.of("c", "d", "a"), ids(poll(NOW, 3)));
    }

    @Test
    default void a_retry_waits_until_it_is_due() throws SQLException {
        insert(event("e1", NOW));
        with(conn -> store().markRetry(conn, "e1", NOW.plusSeconds(10), "x"));

        assertEquals(List.of(), poll(NOW.plusSeconds(9), 10));
        assertEquals(List.of("e1"), ids(poll(NOW.plusSeconds(10), 10)));
        assertEquals(1, poll(NOW.plusSeconds(10), 10).get(0).attempts());
    }

    @Test
    default void recent_events_can_be_left_out() throws SQLException {
        insert(event("old", NOW.minusSeconds(2)), event("young", NOW.minusMillis(500)));

        assertEquals(List.of("old"), ids(with(conn -> store().pollPending(conn, NOW, Duration.ofSeconds(1), 10))));
        assertEquals(
                List.of("old"),
                ids(with(conn ->
                        store().claimPending(conn, "owner", NOW, NOW.minus(LOCK_TIMEOUT), Duration.ofSeconds(1), 10))));
    }

    @Test
    default void events_that_are_not_due_never_hide_those_behind_them() throws SQLException {
        insert(IntStream.range(0, 1_000)
                .mapToObj(i -> event("waiting-" + i, NOW.minusSeconds(60)))
                .toArray(EventEnvelope[]::new));
        with(conn -> {
            conn.setAutoCommit(false);
            for (int i = 0; i < 1_000; i++) {
                store().markRetry(conn, "waiting-" + i, NOW.plusSeconds(60), "x");
            }
            conn.commit();
            conn.setAutoCommit(true);
            return true;
        });
        insert(event("due", NOW));

        assertEquals(List.of("due"), ids(poll(NOW, 10)));
        assertEquals(List.of("due"), ids(claim("owner", NOW, 10)));
    }

    @Test
    default void polling_locks_nothing() throws SQLException {
        insert(event("e1", NOW));

        poll(NOW, 10);

        assertNull(find("e1").lockedBy());
        assertEquals(List.of("e1"), ids(poll(NOW, 10)));
    }
}
