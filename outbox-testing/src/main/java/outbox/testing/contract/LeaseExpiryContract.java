package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.model.EventStatus;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.LeaseStore.Taken;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Leases keep everybody away until they expire; who takes over suspects the event, and counts nothing. */
interface LeaseExpiryContract extends LeaseTest {

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
    default void taking_over_counts_nothing_and_makes_a_suspect(EventStatus status) throws SQLException {
        insertAs(status, "e1");
        assertNull(suspicionOnLease("first"));
        int attempts = find("e1").attempts();
        letLeasesExpire();

        assertEquals(new Suspicion(0, false), suspicionOnLease("second"));

        assertEquals(attempts, find("e1").attempts());
        assertEquals(status, find("e1").status());
        assertTrue(String.valueOf(find("e1").lastError()).endsWith("Lease expired, owner first"), find("e1")::toString);
        letLeasesExpire();
        assertEquals(new Suspicion(0, false), suspicionOnLease("third"));
        assertEquals(attempts, find("e1").attempts());
        assertTrue(
                String.valueOf(find("e1").lastError()).endsWith("Lease expired, owner second"), find("e1")::toString);
    }

    @Test
    default void an_owner_that_takes_its_own_expired_lease_again_suspects_nothing() throws SQLException {
        insertLeased("owner", event("e1"));
        letLeasesExpire();

        assertNull(suspicionOnLease("owner"));

        assertEquals(0, find("e1").attempts());
        assertNull(find("e1").lastError());
    }

    @Test
    default void free_and_expired_events_are_leased_together_and_only_the_expired_ones_suspected() throws SQLException {
        insertLeased("first", event("expired"));
        letLeasesExpire();
        insertLeased("first", event("kept"));
        insert(event("free"));

        List<Taken> leased = with(conn -> leases().claim(conn, "second", LOCK_TIMEOUT, Duration.ZERO, 10));

        assertEquals(
                Set.of("expired", "free"),
                new HashSet<>(ids(leased.stream().map(Taken::event).toList())));
        leased.forEach(taken ->
                assertEquals(taken.event().eventId().equals("expired"), taken.suspicion() != null, taken::toString));
        assertNull(find("free").lastError());
        assertEquals("first", find("kept").lockedBy());
    }
}
