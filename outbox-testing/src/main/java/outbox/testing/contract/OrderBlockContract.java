package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
    default void a_held_key_goes_on_also_if_claims_have_met_what_waits_for_it() throws SQLException {
        insertKeyed("a1", "b1");
        take("owner");
        died("owner", "a1", true);
        died("owner", "b1", true);
        List<String> waiting = new ArrayList<>();
        for (int i = 100; i < 200; i++) {
            insertKeyed("a" + i, "b" + i);
            waiting.add("a" + i);
        }
        assertEquals(List.of(), take("owner"));
        assertEquals(List.of(), take("other"));
        assertEquals(Set.of("a1", "b1"), with(conn -> order().holdingKeys(conn, List.of("a1", "b1", "a100"))));

        count(conn -> order().letKeyGo(conn, "a1"));
        with(conn -> order().bringBack(conn, List.of("a1")));

        List<String> taken = new ArrayList<>();
        for (List<String> some = takeDue("owner"); !some.isEmpty(); some = takeDue("owner")) {
            taken.addAll(some);
            done("owner", some.toArray(String[]::new));
        }
        assertEquals(waiting, taken);
    }

    @Test
    default void what_waits_for_a_key_that_has_gone_on_is_found_though_nobody_brought_it_back() throws SQLException {
        insertKeyed("a1");
        take("owner");
        died("owner", "a1", true);
        insertKeyed("a2");
        take("owner");
        count(conn -> order().letKeyGo(conn, "a1"));
        insertKeyed("a3");

        List<String> taken = new ArrayList<>();
        for (int claims = 0; claims < 3; claims++) {
            taken.addAll(takeDue("owner"));
        }
        assertEquals(List.of("a2", "a3"), taken);
    }

    /** What an owner gets of what is due by now. */
    private List<String> takeDue(String owner) throws SQLException {
        fixture().letPass(A_MOMENT);
        return take(owner);
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
