package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.model.BlockedKey;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore.HeldDead;
import outbox.spi.LeaseStore.HeldRetry;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.Claimed;
import outbox.spi.OrderedStore.Run;
import outbox.spi.OrderedStore.Standing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Events of one key come one after another. A test's events are named after their key, as in {@code a1}, {@code a2}, {@code b1}. */
interface OrderContract extends LeaseTest {

    /** The order of the store under test; aborts the test if it has none. */
    default OrderedStore order() {
        OrderedStore ordered = store().ordered();
        assumeTrue(ordered != null, "the store keeps no order");
        return Objects.requireNonNull(ordered);
    }

    /** An event whose key is the first letter of its id. */
    default EventEnvelope keyed(String id) {
        return keyed(id, LONG_AGO);
    }

    default EventEnvelope keyed(String id, Instant occurredAt) {
        return EventEnvelope.builder("OrderPlaced")
                .eventId(id)
                .aggregateType("Order")
                .aggregateId(id.substring(0, 1))
                .occurredAt(occurredAt)
                .payloadJson("{}")
                .build();
    }

    default void insertKeyed(String... ids) throws SQLException {
        insert(Arrays.stream(ids).map(this::keyed).toArray(EventEnvelope[]::new));
    }

    default List<Standing> insertAs(String owner, String... ids) throws SQLException {
        List<EventEnvelope> events = Arrays.stream(ids).map(this::keyed).toList();
        return with(conn -> order().insert(conn, events, owner));
    }

    default Claimed claimInOrder(String owner, int limit) throws SQLException {
        return with(conn -> order().claim(conn, owner, LOCK_TIMEOUT, Duration.ZERO, limit));
    }

    /** What an owner gets, in the order in which it gets it. */
    default List<String> take(String owner) throws SQLException {
        return idsOf(claimInOrder(owner, 100));
    }

    default List<String> idsOf(Claimed claimed) {
        return claimed.runs().stream()
                .flatMap(run -> run.events().stream())
                .map(OutboxEvent::eventId)
                .toList();
    }

    /** Of the events that an owner gets, those of one key. */
    default List<String> ofKey(String key, List<String> ids) {
        return ids.stream().filter(id -> id.startsWith(key)).toList();
    }

    default void done(String owner, String... ids) throws SQLException {
        assertEquals(Set.of(), with(conn -> leases().markDone(conn, owner, held(0, ids))));
    }

    default void failed(String owner, String id, Duration delay) throws SQLException {
        HeldRetry retry = new HeldRetry(held(0, id).get(0), delay, "failed");
        assertEquals(Set.of(), with(conn -> leases().markRetry(conn, owner, List.of(retry))));
    }

    default void died(String owner, String id, boolean holdsKey) throws SQLException {
        HeldDead dead = new HeldDead(held(0, id).get(0), "poison", holdsKey);
        assertEquals(Set.of(), with(conn -> leases().markDead(conn, owner, List.of(dead))));
    }

    default void release(String owner, String... ids) throws SQLException {
        assertEquals(ids.length, count(conn -> leases().release(conn, owner, held(0, ids))));
    }

    default boolean isFirst(String id) throws SQLException {
        return with(conn -> order().isFirst(conn, id));
    }

    @Test
    default void the_table_has_what_order_needs() throws SQLException {
        with(conn -> {
            order().checkSchema(conn);
            return true;
        });
    }

    @Test
    default void a_claim_takes_whole_keys_in_the_order_of_their_inserts() throws SQLException {
        insertKeyed("a1", "b1", "a2", "b2", "a3");

        List<String> taken = take("owner");

        assertEquals(List.of("a1", "a2", "a3"), ofKey("a", taken));
        assertEquals(List.of("b1", "b2"), ofKey("b", taken));
        assertEquals("owner", find("a3").lockedBy());
        assertEquals(List.of(), take("other"));
    }

    @Test
    default void the_order_is_that_of_the_inserts_whatever_the_clocks_and_ids_say() throws SQLException {
        insert(keyed("a9", LONG_AGO.plusSeconds(60)), keyed("a1", LONG_AGO), keyed("a5", LONG_AGO.minusSeconds(60)));

        assertEquals(List.of("a9", "a1", "a5"), take("owner"));
    }

    @Test
    default void events_without_a_key_have_no_order() throws SQLException {
        insert(event("x"), event("y"));
        with(conn -> leases().claim(conn, "other", LOCK_TIMEOUT, Duration.ZERO, 1));

        Claimed claimed = claimInOrder("owner", 10);

        assertEquals(1, idsOf(claimed).size());
        assertEquals(Set.of(), claimed.runs().get(0).ahead());
        assertTrue(isFirst("x"));
        assertTrue(isFirst("y"));
    }

    @Test
    default void keys_of_different_aggregate_types_are_different() throws SQLException {
        insertAs("other", "a1");
        insert(EventEnvelope.builder("Paid")
                .eventId("invoice")
                .aggregateType("Invoice")
                .aggregateId("a")
                .occurredAt(LONG_AGO)
                .payloadJson("{}")
                .build());

        assertEquals(List.of("invoice"), take("owner"));
    }

    @Test
    default void what_follows_an_event_of_another_owner_waits() throws SQLException {
        insertKeyed("a1", "a2", "b1");
        with(conn -> order().claim(conn, "other", LOCK_TIMEOUT, Duration.ZERO, 1));

        Claimed claimed = claimInOrder("owner", 10);

        assertEquals(List.of("b1"), idsOf(claimed));
        assertTrue(claimed.othersWait());
        done("other", "a1");
        assertEquals(List.of("a2"), take("owner"));
    }

    @Test
    default void a_limit_cuts_a_run_but_leaves_no_gap() throws SQLException {
        insertKeyed("a1", "a2", "a3", "a4");

        assertEquals(List.of("a1", "a2"), idsOf(claimInOrder("owner", 2)));
        assertEquals(List.of(), take("other"));
    }

    @Test
    default void what_follows_the_owners_own_events_can_be_had_and_says_what_is_ahead() throws SQLException {
        insertKeyed("a1", "a2", "a3");
        claimInOrder("owner", 1);

        Claimed claimed = claimInOrder("owner", 10);

        assertEquals(List.of("a2", "a3"), idsOf(claimed));
        assertEquals(Set.of("a1"), claimed.runs().get(0).ahead());
        for (Run run : claimed.runs()) {
            assertTrue(run.ahead().contains("a1"));
        }
    }

    @Test
    default void an_event_that_is_not_due_keeps_those_behind_it_waiting() throws SQLException {
        insertKeyed("a1", "a2");
        take("owner");
        release("owner", "a2");
        failed("owner", "a1", Duration.ofHours(1));

        Claimed claimed = claimInOrder("owner", 10);

        assertEquals(List.of(), idsOf(claimed));
        assertTrue(claimed.othersWait());
        assertFalse(isFirst("a2"));
        fixture().letPass(Duration.ofHours(2));
        assertEquals(List.of("a1", "a2"), take("owner"));
    }

    @Test
    default void what_another_owner_has_not_given_back_yet_cuts_the_run() throws SQLException {
        insertKeyed("a1", "a2", "a3");
        claimInOrder("other", 2);
        failed("other", "a1", Duration.ZERO);
        fixture().letPass(A_MOMENT);

        assertEquals(List.of("a1"), take("owner"));
        release("other", "a2");
        assertEquals(List.of("a2", "a3"), take("owner"));
    }

    @Test
    default void a_dead_owners_keys_are_taken_over_as_a_whole() throws SQLException {
        insertKeyed("a1", "a2");
        take("dead");
        insertKeyed("a3");
        assertEquals(List.of(), take("owner"));

        letLeasesExpire();

        assertEquals(List.of("a1", "a2", "a3"), take("owner"));
        assertEquals(1, find("a1").attempts());
        assertEquals(1, find("a2").attempts());
        assertEquals(0, find("a3").attempts());
    }

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

    @Test
    default void keys_that_cannot_go_on_do_not_hide_those_that_can() throws SQLException {
        List<EventEnvelope> blocked = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            blocked.add(keyed("a" + i, LONG_AGO.plusMillis(i)));
        }
        insert(blocked.toArray(EventEnvelope[]::new));
        claimInOrder("other", 1);
        insert(
                keyed("b1", LONG_AGO.plusSeconds(1)),
                keyed("b2", LONG_AGO.plusSeconds(2)),
                event("x", LONG_AGO.plusSeconds(3)));

        Claimed claimed = claimInOrder("owner", 10);

        assertEquals(List.of("b1", "b2"), ofKey("b", idsOf(claimed)));
        assertTrue(idsOf(claimed).contains("x"));
        assertTrue(claimed.othersWait());
    }

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

    @Test
    @Timeout(60)
    default void owners_that_claim_at_the_same_time_never_share_a_key() throws Exception {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            String key = String.valueOf((char) ('a' + i % 20));
            events.add(keyed(key + i));
        }
        insert(events.toArray(EventEnvelope[]::new));

        concurrently(4, owner -> idsOf(claimInOrder(owner, 40)));

        for (int key = 0; key < 20; key++) {
            List<String> holders = new ArrayList<>();
            for (int i = key; i < 300; i += 20) {
                String id = events.get(i).eventId();
                holders.add(String.valueOf(find(id).lockedBy()));
            }
            long takenBy = holders.stream()
                    .filter(holder -> !holder.equals("null"))
                    .distinct()
                    .count();
            assertTrue(takenBy <= 1, "key " + key + " is held by several: " + holders);
            int taken = (int)
                    holders.stream().filter(holder -> !holder.equals("null")).count();
            assertEquals(
                    taken,
                    holders.stream().takeWhile(holder -> !holder.equals("null")).count(),
                    "a gap in key " + key + ": " + holders);
        }
    }
}
