package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dead.BlockedKeyManager;
import outbox.dead.DeadEventManager;
import outbox.dispatch.Ordering;
import outbox.jdbc.OutboxStoreException;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** One key must not keep others waiting, and what waits for a key goes on with it, in order and all of it. */
abstract class StarvationSuite {

    private static final int MANY = "long".equals(System.getProperty("outbox.test.form")) ? 3_000 : 1_000;
    private static final int OTHERS = 200;
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    private static final long PATIENCE_SECONDS = 60;
    private static final String PARKED = "(waits for its key)";
    private static final int CLAIM = 50;

    private final Map<String, List<String>> delivered = new ConcurrentHashMap<>();
    private final Semaphore arrived = new Semaphore(0);
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), "starved_outbox");
    }

    private Node node(EventListener listener) {
        Node node = new Node(
                database().pool(),
                table.store(),
                dispatcher -> dispatcher.ordering(Ordering.PER_AGGREGATE).maxAttempts(1),
                poller -> poller.claimLocking(Duration.ofMinutes(5)));
        node.listeners.register("Clock", "Tick", listener);
        node.poller.start();
        return node;
    }

    /** Remembers what comes, and fails or waits when it is told to. */
    private EventListener journal(Predicate<EventEnvelope> fails, CountDownLatch slow) {
        return EventListener.holdingKeyAfterDead(event -> {
            if (fails.test(event)) {
                throw new IllegalStateException("refused");
            }
            if ("slow".equals(event.aggregateId())) {
                slow.await();
            }
            delivered
                    .computeIfAbsent(event.aggregateId(), any -> new CopyOnWriteArrayList<>())
                    .add(event.eventId());
            arrived.release();
        });
    }

    private void awaitDeliveries(int count) throws InterruptedException {
        assertThat(arrived.tryAcquire(count, PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("%d deliveries; %d are missing", count, count - arrived.availablePermits())
                .isTrue();
    }

    private static List<EventEnvelope> ofKey(String key, int count) {
        return ofKey(key, count, CREATED);
    }

    private static List<EventEnvelope> ofKey(String key, int count, Instant from) {
        return IntStream.range(0, count)
                .mapToObj(i -> EventEnvelope.builder("Tick")
                        .eventId(String.format(Locale.ROOT, "%s-%05d", key, i))
                        .aggregateType("Clock")
                        .aggregateId(key)
                        .occurredAt(from.plusMillis(i))
                        .payloadJson("{}")
                        .build())
                .toList();
    }

    private static List<EventEnvelope> others() {
        List<EventEnvelope> others = new ArrayList<>();
        for (int i = 0; i < OTHERS; i++) {
            others.addAll(ofKey("other" + i, 1, CREATED.plusSeconds(3_600)));
        }
        return others;
    }

    private void insert(List<EventEnvelope> events) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            table.store().insertBatch(conn, events);
        }
    }

    private static List<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }

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
        String waiting = "SELECT COUNT(*) FROM starved_outbox WHERE status = 0 AND locked_by = '" + PARKED + "'";
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Tables.select(database().pool(), waiting).equals(List.of(String.valueOf(MANY - 1)))) {
            assertThat(System.nanoTime()).as("not all is parked").isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(5);
        }
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

    /** Between the two a person lets the key go, and brings back nothing, because nothing is put off yet. */
    @Test
    void a_process_that_dies_between_putting_off_and_looking_again_loses_nothing() throws Exception {
        List<EventEnvelope> held = heldByItsFirst();
        AtomicBoolean parked = new AtomicBoolean();
        try (Connection conn = database().pool().getConnection()) {
            Connection dying = StoppedConnection.beforeEach(conn, sql -> {
                if (parked.get()) {
                    letKeyGo("held-00000");
                    throw new SQLException("the process is gone");
                }
                parked.set(sql.contains("SET locked_by = '" + PARKED + "'"));
            });
            assertThatThrownBy(() -> claim(dying)).isInstanceOf(OutboxStoreException.class);
        }

        goesOnWhenItFallsDue(held);
    }

    @Test
    void a_process_that_dies_after_it_let_a_key_go_and_before_it_brings_anything_back_loses_nothing() throws Exception {
        List<EventEnvelope> held = heldByItsFirst();
        try (Connection conn = database().pool().getConnection()) {
            assertThat(claim(conn)).isEmpty();
        }
        letKeyGo("held-00000");

        goesOnWhenItFallsDue(held);
    }

    private List<EventEnvelope> heldByItsFirst() throws SQLException {
        List<EventEnvelope> held = ofKey("held", CLAIM);
        insert(held.subList(0, 1));
        try (Connection conn = database().pool().getConnection()) {
            assertThat(claim(conn)).hasSize(1);
            LeaseStore.HeldDead dead = new LeaseStore.HeldDead("held-00000", "refused", true);
            assertThat(table.store().leases().markDead(conn, "owner", List.of(dead)))
                    .isEmpty();
        }
        insert(held.subList(1, CLAIM));
        return held;
    }

    private List<OrderedStore.Run> claim(Connection conn) {
        LeaseStore.ClaimRequest request = new LeaseStore.ClaimRequest(
                "owner", Duration.ofMinutes(5), Duration.ZERO, CLAIM, LeaseStore.Start.BEGINNING);
        return table.store().ordered().claim(conn, request, List.of()).runs();
    }

    private void letKeyGo(String eventId) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            assertThat(table.store().ordered().letKeyGo(conn, eventId)).isEqualTo(1);
        }
    }

    private void goesOnWhenItFallsDue(List<EventEnvelope> held) throws Exception {
        String waiting = "FROM starved_outbox WHERE status = 0 AND locked_by = '" + PARKED + "'";
        assertThat(Tables.select(database().pool(), "SELECT COUNT(*) " + waiting))
                .containsExactly(String.valueOf(CLAIM - 1));
        // Not before half a minute has passed, and not after half an hour.
        try (Connection conn = database().pool().getConnection()) {
            assertThat(claim(conn)).isEmpty();
        }
        // As if the half minute had passed.
        Tables.execute(
                database().pool(),
                "UPDATE starved_outbox SET available_at = TIMESTAMP '2026-01-01 01:00:00' WHERE locked_by = '" + PARKED
                        + "'");
        try (Node node = node(journal(event -> false, new CountDownLatch(0)))) {
            awaitDeliveries(CLAIM - 1);
            assertThat(delivered.get("held")).isEqualTo(ids(held).subList(1, CLAIM));
            assertThat(node.dispatcher.health().problems()).isEmpty();
        }
    }
}
