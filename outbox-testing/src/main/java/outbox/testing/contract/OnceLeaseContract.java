package outbox.testing.contract;

import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** Of events that are written once, only those are leased that the call itself has written. */
interface OnceLeaseContract extends OnceTest {

    private List<WriteReceipt> onceLeased(String owner, Set<String> leased, EventEnvelope... events)
            throws SQLException {
        once(DuplicatePolicy.IGNORE);
        return with(conn -> leases().insertOnce(conn, List.of(events), DuplicatePolicy.IGNORE, owner, leased));
    }

    @Test
    default void those_that_are_written_are_leased_if_they_are_to_be_and_the_others_are_left_alone()
            throws SQLException {
        insert(event("there"));

        List<WriteReceipt> receipts =
                onceLeased("owner", new HashSet<>(List.of("a", "there")), event("a"), event("there"), event("b"));

        assertEquals(
                List.of(false, true, false),
                receipts.stream().map(WriteReceipt::alreadyThere).toList());
        assertEquals("owner", find("a").lockedBy());
        assertNotNull(find("a").lockedAt());
        assertNull(find("there").lockedBy());
        assertNull(find("b").lockedBy());
        assertNull(find("b").lockedAt());
        assertEquals(Set.of("there", "b"), Set.copyOf(lease("other")));
    }

    @Test
    default void a_lease_that_somebody_else_has_is_not_touched() throws SQLException {
        insertLeased("first", event("a"));
        StoredEvent before = find("a");

        onceLeased("second", Set.of("a"), event("a"));

        assertEquals(before, find("a"));
    }
}
