package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.spi.OrderedStore.Standing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An event knows from its insert on where it stands among those of its key. */
interface OrderInsertContract extends OrderTest {

    @Test
    default void the_first_of_its_key_is_leased_by_its_insert() throws SQLException {
        List<Standing> standings = insertAs("owner", "a1", "b1");

        assertFalse(standings.contains(Standing.FREE));
        assertEquals("owner", find("a1").lockedBy());
        assertEquals("owner", find("b1").lockedBy());
        assertTrue(isFirst("a1"));
    }

    @Test
    default void one_that_follows_the_owners_own_is_leased_by_its_insert_but_not_the_first() throws SQLException {
        insertAs("owner", "a1");

        assertEquals(List.of(Standing.BEHIND), insertAs("owner", "a2"));

        assertEquals("owner", find("a2").lockedBy());
        assertFalse(isFirst("a2"));
        done("owner", "a1");
        assertTrue(isFirst("a2"));
    }

    @Test
    default void one_that_follows_what_is_not_the_owners_is_never_called_the_first() throws SQLException {
        insertAs("other", "a1");
        insertKeyed("b1");
        insertKeyed("c1");
        take("owner");
        release("owner", "b1");
        died("owner", "c1", true);

        List<Standing> standings = insertAs("owner", "a2", "b2", "c2");

        assertFalse(standings.contains(Standing.FIRST));
        for (String id : List.of("a2", "b2", "c2")) {
            assertFalse(isFirst(id));
        }
    }

    @Test
    default void an_event_without_a_key_is_always_the_first() throws SQLException {
        insert(event("x"));

        assertEquals(List.of(Standing.FIRST), with(conn -> order().insert(conn, List.of(event("y")), "owner")));
        assertEquals("owner", find("y").lockedBy());
    }

    @Test
    default void a_batch_keeps_its_order() throws SQLException {
        insertAs("owner", "a3", "a1", "a2");
        release("owner", "a1");
        release("owner", "a2");
        release("owner", "a3");

        assertEquals(List.of("a3", "a1", "a2"), take("owner"));
    }

    @Test
    default void what_is_not_committed_is_neither_found_nor_waited_for() throws SQLException {
        needsTwoWriters("an event that is not committed is neither found nor waited for");
        try (Connection uncommitted = fixture().connect()) {
            uncommitted.setAutoCommit(false);
            order().insert(uncommitted, List.of(keyed("a1")), "other");
            insertAs("owner", "a2");
            assertTrue(isFirst("a2"));
            uncommitted.rollback();
        }
    }

    @Test
    default void an_insert_sees_what_its_own_transaction_has_written() throws SQLException {
        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            order().insert(conn, List.of(keyed("a1")), "owner");

            assertEquals(List.of(Standing.BEHIND), order().insert(conn, List.of(keyed("a2")), "owner"));
            conn.commit();
        }
        assertFalse(isFirst("a2"));
    }
}
