package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.model.EventStatus;
import outbox.spi.LeaseStore.Begun;
import outbox.spi.LeaseStore.HeldRetry;
import outbox.spi.LeaseStore.Postponed;
import outbox.spi.LeaseStore.Suspicion;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What is written down of an event that may have ended its process, and how it is cleared. */
interface SuspectContract extends LeaseTest {

    /** Leased to the owner, after another one had let the lease expire. */
    private void insertSuspect(String owner) throws SQLException {
        insertLeased("gone", event("e1"));
        letLeasesExpire();
        assertEquals(new Suspicion(0, false), suspicionOnLease(owner));
    }

    private boolean writeDown(String owner, int attempts, int crashes) throws SQLException {
        return with(conn -> leases().writeDown(conn, owner, new Begun("e1", attempts, crashes)));
    }

    @Test
    default void a_delivery_that_is_written_down_and_never_heard_of_is_known_to_the_next_owner() throws SQLException {
        insertSuspect("first");
        assertTrue(writeDown("first", 0, 0));
        assertEquals(1, find("e1").attempts());
        letLeasesExpire();

        assertEquals(new Suspicion(1, false), suspicionOnLease("second"));
        assertTrue(writeDown("second", 1, 1));
        letLeasesExpire();

        assertEquals(new Suspicion(2, false), suspicionOnLease("third"));
        assertEquals(2, find("e1").attempts());
        assertTrue(
                String.valueOf(find("e1").lastError()).endsWith("Lease expired, owner second"), find("e1")::toString);
    }

    @Test
    default void writing_down_can_be_repeated_when_its_answer_was_lost() throws SQLException {
        insertSuspect("owner");

        assertTrue(writeDown("owner", 0, 0));
        assertTrue(writeDown("owner", 0, 0));

        assertEquals(1, find("e1").attempts());
        letLeasesExpire();
        assertEquals(new Suspicion(1, false), suspicionOnLease("other"));
    }

    @Test
    default void only_who_holds_the_event_writes_down() throws SQLException {
        insertSuspect("owner");
        StoredEvent before = find("e1");

        assertFalse(writeDown("other", 0, 0));
        boolean unknown = with(conn -> leases().writeDown(conn, "owner", new Begun("unknown", 0, 0)));
        assertFalse(unknown);

        assertEquals(before, find("e1"));
        with(conn -> leases().markDone(conn, "owner", held("e1")));
        assertFalse(writeDown("owner", 0, 0), "it has ended");
    }

    @Test
    default void giving_back_does_not_absolve() throws SQLException {
        insertSuspect("owner");

        assertEquals(1, count(conn -> leases().release(conn, "owner", held("e1"))));

        assertNull(find("e1").lockedBy());
        assertNull(find("e1").lockedAt());
        assertEquals(new Suspicion(0, false), suspicionOnLease("other"));
    }

    @Test
    default void what_was_written_down_and_did_not_begin_is_taken_back() throws SQLException {
        insertSuspect("owner");
        writeDown("owner", 0, 0);

        assertEquals(0, count(conn -> leases().takeBack(conn, "other", new Begun("e1", 0, 0))));
        assertEquals(1, count(conn -> leases().takeBack(conn, "owner", new Begun("e1", 0, 0))));

        assertEquals(0, find("e1").attempts());
        assertNull(find("e1").lockedBy());
        assertNull(find("e1").lockedAt());
        assertEquals(new Suspicion(0, false), suspicionOnLease("other"));
    }

    @Test
    default void a_suspect_that_is_postponed_waits_and_is_known_to_have_waited() throws SQLException {
        insertSuspect("first");
        writeDown("first", 0, 0);
        letLeasesExpire();
        suspicionOnLease("second");

        assertEquals(Set.of("e1"), postpone("other"));
        assertEquals(Set.of(), postpone("second"));

        assertEquals(EventStatus.RETRY, find("e1").status());
        assertEquals(1, find("e1").attempts());
        assertNull(find("e1").lockedBy());
        assertEquals(List.of(), lease("third"));
        fixture().letPass(Duration.ofHours(1).plus(A_MOMENT));
        assertEquals(new Suspicion(1, true), suspicionOnLease("third"));
        letLeasesExpire();
        assertEquals(new Suspicion(1, false), suspicionOnLease("fourth"), "once more it was with an owner who is gone");
    }

    private Set<String> postpone(String owner) throws SQLException {
        return with(conn -> leases().postpone(conn, owner, List.of(new Postponed("e1", 1, Duration.ofHours(1)))));
    }

    @Test
    default void an_outcome_clears_a_suspect() throws SQLException {
        insertSuspect("owner");
        writeDown("owner", 0, 0);

        with(conn -> leases().markRetry(conn, "owner", List.of(new HeldRetry("e1", 1, Duration.ZERO, "down"))));

        assertEquals(1, find("e1").attempts());
        assertEquals("down", find("e1").lastError());
        assertNull(suspicionOnLease("other"));
        letLeasesExpire();
        assertEquals(new Suspicion(0, false), suspicionOnLease("third"), "the count begins anew");
    }

    @Test
    default void no_error_of_a_listener_makes_a_suspect() throws SQLException {
        insertSuspect("owner");
        writeDown("owner", 0, 0);
        letLeasesExpire();
        suspicionOnLease("second");
        String forged = String.valueOf(find("e1").lastError());

        with(conn -> leases().markRetry(conn, "second", List.of(new HeldRetry("e1", 1, Duration.ZERO, forged))));

        assertNull(suspicionOnLease("third"));
    }

    @Test
    default void a_replayed_event_is_cleared() throws SQLException {
        insertSuspect("owner");
        with(conn -> store().markDead(conn, "e1", "over"));
        with(conn -> store().replayDead(conn, "e1"));
        fixture().letPass(A_MOMENT);

        assertNull(suspicionOnLease("other"));
    }
}
