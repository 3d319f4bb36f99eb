package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dead.BlockedKeyManager;
import outbox.dead.DeadEventManager;
import outbox.dispatch.Ordering;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.OrderedStore;

import static org.assertj.core.api.Assertions.assertThat;

/** One key must not keep others waiting, and what waits for a key goes on with it, in order and all of it. */
abstract class StarvationSuite extends StarvationFixture {

    /** Twice as many as a claim returns. */
    private static final int SUSPECTS = 100;

    private static final int MANY = "long".equals(System.getProperty("outbox.test.form")) ? 3_000 : 1_000;

    @Test
    void a_stuck_key_with_a_backlog_keeps_no_other_key_waiting_and_then_goes_on_in_order() throws Exception {
        List<EventEnvelope> slow = ofKey("slow", MANY);
        insert(slow);
        insert(others());
        CountDownLatch stuck = new CountDownLatch(1);
        try (Node node = node(journal(event -> false, stuck))) {
            awaitDeliveries(OTHERS);
            assertThat(delivered).doesNotContainKey("slow");
            assertThat(
                            Tables.select(
                                    database().pool(),
                                    "SELECT COUNT(*) FROM starved_outbox WHERE aggregate_id = 'slow' AND locked_at IS NOT NULL"))
                    .containsExactly(String.valueOf(OrderedStore.LONGEST_LINE));

            stuck.countDown();
            awaitDeliveries(MANY);
            assertThat(delivered.get("slow")).isEqualTo(ids(slow));
        }
    }

    @Test
    void what_waits_for_a_held_key_goes_on_in_order_when_its_event_is_discarded() throws Exception {
        heldKeyGoesOn(node -> new BlockedKeyManager(node.connections, table.store()).discard("held-00000"), 1);
    }

    @Test
    void what_waits_for_a_held_key_goes_on_in_order_when_its_event_is_replayed() throws Exception {
        heldKeyGoesOn(node -> new DeadEventManager(node.connections, table.store()).replay("held-00000"), 0);
    }

    private void heldKeyGoesOn(Predicate<Node> goOn, int discarded) throws Exception {
        List<EventEnvelope> held = ofKey("held", MANY);
        insert(held);
        insert(others());
        CountDownLatch refusing = new CountDownLatch(1);
        EventListener listener = journal(
                event -> event.eventId().equals("held-00000") && refusing.getCount() > 0, new CountDownLatch(0));
        try (Node node = node(listener);
                Node neighbour = node(listener)) {
            awaitDeliveries(OTHERS);
            awaitParked();
            assertThat(delivered).doesNotContainKey("held");
            insert(ofKey("late", 5));
            awaitDeliveries(5);

            refusing.countDown();
            assertThat(goOn.test(neighbour)).isTrue();
            awaitDeliveries(MANY - discarded);
            assertThat(delivered.get("held")).isEqualTo(ids(held).subList(discarded, MANY));
            assertThat(node.dispatcher.health().problems()).isEmpty();
        }
    }

    /** Until no claim meets any of them any more. */
    private void awaitParked() throws InterruptedException {
        awaitCount(MANY - 1, "status = 0 AND locked_by = '" + PARKED + "'");
    }

    @Test
    void what_waits_for_a_delayed_event_goes_on_in_order_when_that_is_due() throws Exception {
        List<EventEnvelope> events = ofKey("delayed", MANY);
        insert(List.of(EventEnvelope.builder("Tick")
                .eventId("delayed-first")
                .aggregateType("Clock")
                .aggregateId("delayed")
                .deliverAfter(Duration.ofHours(1))
                .payloadJson("{}")
                .build()));
        insert(events.subList(1, MANY));
        try (Node node = node(journal(event -> false, new CountDownLatch(0)));
                Node neighbour = node(journal(event -> false, new CountDownLatch(0)))) {
            awaitParked();
            // As if the hour had passed.
            Tables.execute(
                    database().pool(),
                    "UPDATE starved_outbox SET created_at = TIMESTAMP '2026-01-01 00:00:00',"
                            + " available_at = TIMESTAMP '2026-01-01 01:00:00' WHERE event_id = 'delayed-first'");

            awaitDeliveries(MANY);
            List<String> inOrder = new ArrayList<>(List.of("delayed-first"));
            inOrder.addAll(ids(events).subList(1, MANY));
            assertThat(delivered.get("delayed")).isEqualTo(inOrder);
            assertThat(node.dispatcher.health().problems()).isEmpty();
            assertThat(neighbour.dispatcher.health().problems()).isEmpty();
        }
    }

    /** One that has ended a process before runs alone, and hangs. More others than a claim returns are due before all the rest. */
    @ParameterizedTest
    @EnumSource(Ordering.class)
    void suspects_that_wait_for_one_that_runs_alone_keep_nobody_else_waiting(Ordering ordering) throws Exception {
        CountedStatements counted = new CountedStatements(database().pool(), "starved_outbox");
        CountDownLatch hung = new CountDownLatch(1);
        CountDownLatch alone = new CountDownLatch(1);
        EventListener journal = journal(event -> false, hung);
        insertSuspects(ofKey("slow", 1));
        try (Node node = node(counted.dataSource(), ordering, event -> {
            alone.countDown();
            journal.onEvent(event);
        })) {
            assertThat(alone.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            List<EventEnvelope> suspects = new ArrayList<>();
            for (int i = 0; i < SUSPECTS; i++) {
                suspects.addAll(ofKey("suspect" + i, 2));
            }
            insertSuspects(suspects);
            insert(others());
            counted.take();
            long begun = System.nanoTime();
            // Without order those behind them have nothing to wait for.
            int first = OTHERS + (ordering == Ordering.NONE ? SUSPECTS : 0);
            awaitDeliveries(first);
            awaitSuspectsPutOff();
            long polls = Duration.ofNanos(System.nanoTime() - begun).dividedBy(Node.INTERVAL);
            assertThat(counted.take()).as("while %d polls were due", polls).hasSizeLessThan((int) (200 + 10 * polls));
            assertThat(deliveredFirst("suspect")).isEmpty();

            hung.countDown();
            awaitDeliveries(1 + 2 * SUSPECTS + OTHERS - first);
            assertThat(deliveredFirst("suspect")).hasSize(SUSPECTS);
            assertThat(delivered.values()).allSatisfy(ids -> assertThat(ids).doesNotHaveDuplicates());
            if (ordering == Ordering.PER_AGGREGATE) {
                assertThat(delivered.values()).allSatisfy(ids -> assertThat(ids).isSorted());
            }
            assertThat(node.dispatcher.health().problems()).isEmpty();
        }
    }

    private void awaitSuspectsPutOff() throws InterruptedException {
        awaitCount(SUSPECTS, "event_id LIKE 'suspect%-00000' AND status = 2 AND locked_at IS NULL");
    }

    /** The first events of keys that begin like this, as far as they were delivered. */
    private List<String> deliveredFirst(String keys) {
        return delivered.values().stream()
                .flatMap(List::stream)
                .filter(id -> id.startsWith(keys) && id.endsWith("-00000"))
                .toList();
    }

    /** The first of each key was being delivered when its process ended; of every second one, and of a key alone, that is written down. */
    private void insertSuspects(List<EventEnvelope> events) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            conn.setAutoCommit(false);
            table.store().insertBatch(conn, events);
            JdbcTemplate.update(
                    conn,
                    "UPDATE starved_outbox SET locked_by = 'gone', locked_at = TIMESTAMP '2026-01-01 00:00:00'"
                            + " WHERE event_id LIKE 'suspect%-00000'");
            JdbcTemplate.update(
                    conn,
                    "UPDATE starved_outbox SET locked_by = NULL, locked_at = NULL,"
                            + " last_error = '(suspect 01) Waits after the end of its process'"
                            + " WHERE event_id = 'slow-00000' OR event_id LIKE 'suspect%0-00000'");
            conn.commit();
            conn.setAutoCommit(true);
        }
    }
}
