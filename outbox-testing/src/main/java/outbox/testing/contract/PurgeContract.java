package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.model.EventStatus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

interface PurgeContract extends StoreTest {

    /** After every time at which a store can have marked something in this test. */
    Instant FAR_FUTURE = Instant.parse("2100-01-01T00:00:00Z");

    private int purge(Instant before, int limit) throws SQLException {
        return with(conn -> fixture().purger().purge(conn, before, limit));
    }

    @ParameterizedTest
    @EnumSource(
            value = EventStatus.class,
            names = {"NEW", "RETRY"})
    default void pending_events_are_never_purged_however_old(EventStatus status) throws SQLException {
        insertAs(status, "e1");
        claim("owner", NOW, 10);

        assertEquals(0, purge(FAR_FUTURE, 100));

        assertEquals(status, find("e1").status());
    }

    @ParameterizedTest
    @EnumSource(
            value = EventStatus.class,
            names = {"DONE", "DEAD"})
    default void finished_events_are_purged_once_they_ended_before_the_limit(EventStatus status) throws SQLException {
        insertAs(status, "e1");
        Instant end = find("e1").doneAt();
        assertNotNull(end);

        assertEquals(0, purge(end, 100), "ended at the limit, not before it");
        assertEquals(1, purge(end.plusMillis(1), 100));

        assertNull(fixture().find("e1"));
    }

    @Test
    default void the_age_of_an_event_counts_from_its_end_not_from_its_creation() throws SQLException {
        insert(event("e1", Instant.parse("2001-01-01T00:00:00Z")));
        with(conn -> store().markDone(conn, "e1"));

        assertEquals(0, purge(Instant.parse("2002-01-01T00:00:00Z"), 100));
    }

    @Test
    default void no_more_than_the_limit_is_deleted() throws SQLException {
        for (int i = 0; i < 5; i++) {
            insertAs(i % 2 == 0 ? EventStatus.DONE : EventStatus.DEAD, "e" + i);
        }
        insertAs(EventStatus.NEW, "pending");

        assertEquals(2, purge(FAR_FUTURE, 2));
        assertEquals(3, purge(FAR_FUTURE, 100));
        assertEquals(0, purge(FAR_FUTURE, 100));
        assertEquals(EventStatus.NEW, find("pending").status());
    }
}
