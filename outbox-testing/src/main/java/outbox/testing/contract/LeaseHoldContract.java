package outbox.testing.contract;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** Leases are kept and given back by nobody but the one who holds them. */
interface LeaseHoldContract extends LeaseTest {

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
        with(conn -> leases().markDone(conn, "owner", held("done")));
        with(conn -> store().markDead(conn, "dead", "x"));
        with(conn -> leases().release(conn, "owner", held("released")));
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
    default void only_what_is_held_and_committed_is_told_as_held_and_nothing_is_waited_for() throws SQLException {
        insertLeased("owner", event("held"), event("done"), event("released"));
        insertLeased("other", event("others"));
        insert(event("free"));
        with(conn -> leases().markDone(conn, "owner", held("done")));
        with(conn -> leases().release(conn, "owner", held("released")));
        List<String> all = List.of("held", "done", "released", "others", "free", "unknown");

        assertEquals(Set.of("held"), with(conn -> leases().held(conn, "owner", all)));
        assertEquals(Set.of(), with(conn -> leases().held(conn, "owner", List.of())));

        letLeasesExpire();
        assertEquals(Set.of("held"), with(conn -> leases().held(conn, "owner", all)));
    }

    @Test
    default void released_events_are_free_at_once_and_count_no_attempt() throws SQLException {
        insertLeased("owner", event("a"), event("b"));

        assertEquals(1, count(conn -> leases().release(conn, "owner", held("a"))));

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
        with(conn -> leases().markDone(conn, "owner", held("done")));
        StoredEvent done = find("done");

        assertEquals(0, count(conn -> leases().release(conn, "other", held("a"))));
        assertEquals(0, count(conn -> leases().release(conn, "owner", held("done", "unknown"))));
        assertEquals(0, count(conn -> leases().release(conn, "owner", List.of())));

        assertEquals("owner", find("a").lockedBy());
        assertEquals(done, find("done"));
    }
}
