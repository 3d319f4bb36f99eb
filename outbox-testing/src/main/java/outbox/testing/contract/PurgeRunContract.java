package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.PurgeRuns;
import outbox.spi.PurgeRuns.Expiry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What a purger must do that has {@linkplain outbox.spi.EventPurger#runs() runs}. */
interface PurgeRunContract extends StoreTest {

    /** Before and after every time at which a store can have marked something in this test. */
    Instant NOTHING = Instant.parse("2001-01-01T00:00:00Z");

    Instant ALL = Instant.parse("2100-01-01T00:00:00Z");

    /** Of a table with less than a hundred rows, in batches of one at least. */
    int MOST_BATCHES = 200;

    private PurgeRuns runs() {
        PurgeRuns runs = fixture().purger().runs();
        assumeTrue(runs != null, "the purger has no runs");
        return Objects.requireNonNull(runs);
    }

    private long runToItsEnd(Expiry expiry, PurgeRuns.@Nullable BeforeDelete viewer, int limit) throws SQLException {
        PurgeRuns.Run run = runs().begin(expiry, viewer);
        long deleted = 0;
        for (int i = 0; i < MOST_BATCHES; i++) {
            PurgeRuns.Batch batch = run.next(fixture()::connect, limit);
            deleted += batch.deleted();
            if (!batch.more()) {
                return deleted;
            }
        }
        throw new AssertionError("the run does not end");
    }

    private void insertOneOfEach() throws SQLException {
        for (EventStatus status : EventStatus.values()) {
            insertAs(status, status.name());
        }
    }

    @Test
    default void a_run_deletes_all_that_may_go_in_batches_of_at_most_the_limit() throws SQLException {
        for (int i = 0; i < 7; i++) {
            insertAs(i % 3 == 0 ? EventStatus.DEAD : EventStatus.DONE, "e" + i);
        }
        insertAs(EventStatus.NEW, "new");
        insertAs(EventStatus.RETRY, "retry");
        List<Integer> batches = new ArrayList<>();

        assertEquals(7, runToItsEnd(Expiry.of(ALL), (conn, events) -> batches.add(events.size()), 2));

        assertTrue(batches.stream().allMatch(size -> size >= 1 && size <= 2), batches::toString);
        assertEquals(EventStatus.NEW, find("new").status());
        assertEquals(EventStatus.RETRY, find("retry").status());
    }

    @Test
    default void each_status_has_a_retention_of_its_own() throws SQLException {
        insertOneOfEach();

        assertEquals(1, runToItsEnd(new Expiry(NOTHING, ALL), null, 10));
        assertNull(fixture().find("DEAD"));
        assertEquals(EventStatus.DONE, find("DONE").status());
        assertEquals(1, runToItsEnd(new Expiry(ALL, NOTHING), null, 10));
        assertNull(fixture().find("DONE"));
    }

    @Test
    default void dead_events_can_be_kept_for_ever() throws SQLException {
        insertOneOfEach();

        assertEquals(1, runToItsEnd(new Expiry(ALL, null), null, 10));

        assertEquals(EventStatus.DEAD, find("DEAD").status());
    }

    @Test
    default void events_are_shown_whole_before_they_are_deleted() throws SQLException {
        insertOneOfEach();
        List<OutboxEvent> shown = new ArrayList<>();

        runToItsEnd(Expiry.of(ALL), (conn, events) -> shown.addAll(events), 10);

        assertEquals(List.of("DEAD", "DONE"), ids(shown).stream().sorted().toList());
        assertEquals("OrderPlaced", shown.get(0).eventType());
        assertEquals(NOW, shown.get(0).createdAt());
        assertNotNull(shown.get(0).payloadJson());
    }

    @Test
    default void nothing_is_deleted_that_nobody_could_keep() throws SQLException {
        insertAs(EventStatus.DONE, "e1");

        IllegalStateException refused = new IllegalStateException("archive is full");
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> runToItsEnd(
                        Expiry.of(ALL),
                        (conn, events) -> {
                            throw refused;
                        },
                        10));

        assertEquals(refused, thrown);
        assertEquals(EventStatus.DONE, find("e1").status());
        assertEquals(1, runToItsEnd(Expiry.of(ALL), null, 10), "the next run tries again");
    }
}
