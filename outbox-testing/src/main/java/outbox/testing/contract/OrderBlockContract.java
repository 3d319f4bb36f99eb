package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.model.BlockedKey;
import outbox.model.EventStatus;
import outbox.spi.OrderedStore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A dead event stops its key only if it holds it, and keys that are stopped are listed and can be let go. */
interface OrderBlockContract extends OrderTest {

    @Test
    default void a_dead_event_lets_the_others_go_on_unless_it_holds_its_key() throws SQLException {
        insertKeyed("a1", "a2", "b1", "b2");
        with(conn -> order().claim(conn, "owner", LOCK_TIMEOUT, Duration.ZERO, 100));
        release("owner", "a2", "b2");
        died("owner", "a1", false);
        died("owner", "b1", true);

        assertEquals(List.of("a2"), take("owner"));
        assertEquals(EventStatus.DEAD, find("b1").status());
        assertEquals(OrderedStore.KEY_HELD, find("b1").lockedBy());
        assertTrue(isFirst("a2"));
        assertFalse(isFirst("b2"));
    }

    @Test
    default void a_held_key_goes_on_when_its_dead_event_is_let_go_or_replayed() throws SQLException {
        insertKeyed("a1", "a2", "b1", "b2");
        take("owner");
        release("owner", "a2", "b2");
        died("owner", "a1", true);
        died("owner", "b1", true);

        assertEquals(1, count(conn -> order().letKeyGo(conn, "a1")));
        assertEquals(1, count(conn -> store().replayDead(conn, "b1")));
        fixture().letPass(A_MOMENT);

        List<String> taken = take("owner");
        assertEquals(List.of("a2"), ofKey("a", taken));
        assertEquals(List.of("b1", "b2"), ofKey("b", taken));
        assertEquals(EventStatus.DEAD, find("a1").status());
        assertNull(find("a1").lockedBy());
    }

    @Test
    default void only_a_dead_event_that_holds_its_key_can_be_let_go() throws SQLException {
        insertKeyed("a1", "b1", "c1");
        take("owner");
        died("owner", "a1", false);
        done("owner", "b1");

        for (String id : List.of("a1", "b1", "c1", "unknown")) {
            assertEquals(0, count(conn -> order().letKeyGo(conn, id)));
        }
        assertEquals("owner", find("c1").lockedBy());
    }

    @Test
    default void an_event_that_holds_its_key_is_not_purged() throws SQLException {
        insertKeyed("a1", "b1");
        take("owner");
        died("owner", "a1", true);
        died("owner", "b1", false);

        Instant later = Instant.now().plus(Duration.ofDays(1));
        assertEquals(1, count(conn -> fixture().purger().purge(conn, later, 100)));
        assertEquals(EventStatus.DEAD, find("a1").status());
    }

    @Test
    default void blocked_keys_are_listed_with_the_event_that_blocks_them() throws SQLException {
        insertKeyed("a1", "b1", "a2", "c1", "b2", "a3", "d1");
        take("owner");
        release("owner", "a2", "a3", "b2");
        failed("owner", "a1", Duration.ofHours(1));
        died("owner", "b1", true);
        done("owner", "c1");

        List<BlockedKey> blocked = with(conn -> order().blockedKeys(conn, 10));

        assertEquals(
                List.of(
                        new BlockedKey("Order", "a", "a1", EventStatus.RETRY, 1, "failed", 2),
                        new BlockedKey("Order", "b", "b1", EventStatus.DEAD, 0, "poison", 1)),
                blocked);
        assertEquals(1, with(conn -> order().blockedKeys(conn, 1)).size());
    }
}
