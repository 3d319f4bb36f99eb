package outbox.testing.contract;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.spi.LeaseStore.ClaimRequest;
import outbox.spi.LeaseStore.Position;
import outbox.spi.LeaseStore.Start;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.spi.OrderedStore.Claimed;
import outbox.spi.OrderedStore.Run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Events of one key are claimed one after another, and by one owner at a time. */
interface OrderContract extends OrderTest {

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
        for (String id : List.of("a1", "a2", "a3")) {
            assertEquals(0, find(id).attempts(), id);
        }
    }

    @Test
    default void only_the_first_event_of_a_dead_owners_key_is_suspected() throws SQLException {
        insertKeyed("a1", "a2", "b1");
        insert(event("unordered"));
        take("dead");
        letLeasesExpire();

        Map<String, Boolean> suspected = new HashMap<>();
        for (OrderedStore.Run run : claimInOrder("owner", 100).runs()) {
            run.events().forEach(taken -> suspected.put(taken.event().eventId(), taken.suspicion() != null));
        }

        assertEquals(Map.of("a1", true, "a2", false, "b1", true, "unordered", true), suspected);
        assertNull(find("a2").lastError());
        letLeasesExpire();
        done("owner", "a1");
        assertEquals(
                new Suspicion(0, false),
                claimInOrder("other", 100).runs().stream()
                        .flatMap(run -> run.events().stream())
                        .filter(taken -> taken.event().eventId().equals("a2"))
                        .findFirst()
                        .orElseThrow()
                        .suspicion(),
                "with the first one gone it may have begun");
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
    default void a_slow_key_leaves_room_for_others() throws SQLException {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            events.add(keyed(String.format(Locale.ROOT, "a%03d", i), LONG_AGO.plusMillis(i)));
        }
        insert(events.toArray(EventEnvelope[]::new));
        insert(keyed("b1", LONG_AGO.plusSeconds(1)), keyed("c1", LONG_AGO.plusSeconds(1)));

        List<String> first = idsOf(claimInOrder("owner", 60));
        List<String> second = idsOf(claimInOrder("owner", 60));

        assertEquals(OrderedStore.LONGEST_LINE, ofKey("a", first).size());
        assertEquals(List.of(), ofKey("a", second), "as many as an owner may hold are held");
        List<String> both = new ArrayList<>(first);
        both.addAll(second);
        assertTrue(both.containsAll(List.of("b1", "c1")));
        done("owner", "a000", "a001");
        assertEquals(List.of("a032", "a033"), idsOf(claimInOrder("owner", 60)));
    }

    @Test
    default void keys_that_go_on_are_found_wherever_a_claim_begins_to_look() throws SQLException {
        insertKeyed("a1", "a2");
        Position behindAll = new Position(Instant.parse("2090-01-01T00:00:00Z"), "");
        Start start = new Start(behindAll, false);

        Claimed claimed = with(conn -> order().claim(
                        conn,
                        new ClaimRequest("owner", LOCK_TIMEOUT, Duration.ZERO, 10, start),
                        List.of(new AggregateKey("Order", "a"))));

        assertEquals(List.of("a1", "a2"), idsOf(claimed));
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
