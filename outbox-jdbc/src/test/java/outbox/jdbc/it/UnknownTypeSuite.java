package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dispatch.Ordering;
import outbox.dispatch.Unroutable;
import outbox.model.EventRoute;
import outbox.poller.OutboxPoller;
import outbox.spi.LeaseStore;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** An event type that a process does not know waits for one that knows it, keeps its order, and costs nothing meanwhile. */
abstract class UnknownTypeSuite {

    private static final String TABLE = "unknown_outbox";
    private static final int MANY = 2_000;
    private static final int KEYS = 10;
    private static final int OF_EACH_KEY = 30;
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    private static final long PATIENCE_SECONDS = 60;

    private final Map<String, List<String>> delivered = new ConcurrentHashMap<>();
    private final Semaphore arrived = new Semaphore(0);
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), TABLE);
    }

    private static OutboxPoller.Builder withLeases(OutboxPoller.Builder poller) {
        return poller.claimLocking(Duration.ofMinutes(5));
    }

    private Node node(Ordering ordering, String... types) {
        return node(database().pool(), ordering, UnknownTypeSuite::withLeases, types);
    }

    private Node node(
            DataSource dataSource, Ordering ordering, UnaryOperator<OutboxPoller.Builder> poller, String... types) {
        Node node = new Node(
                dataSource,
                table.store(),
                dispatcher -> dispatcher.ordering(ordering).unroutable(Unroutable.WAIT),
                poller);
        for (String type : types) {
            node.listeners.register("Clock", type, journal());
        }
        return node;
    }

    private EventListener journal() {
        return event -> {
            delivered
                    .computeIfAbsent(String.valueOf(event.aggregateId()), any -> new CopyOnWriteArrayList<>())
                    .add(event.eventId());
            arrived.release();
        };
    }

    private void awaitDeliveries(int count) throws InterruptedException {
        assertThat(arrived.tryAcquire(count, PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("%d deliveries; %d are missing", count, count - arrived.availablePermits())
                .isTrue();
    }

    private static EventEnvelope event(String id, String type, String key, int millis) {
        return EventEnvelope.builder(type)
                .eventId(id)
                .aggregateType("Clock")
                .aggregateId(key)
                .occurredAt(CREATED.plusMillis(millis))
                .payloadJson("{}")
                .build();
    }

    private void insert(List<EventEnvelope> events) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            table.store().insertBatch(conn, events);
        }
    }

    private long count(String condition) {
        return Long.parseLong(Tables.select(database().pool(), "SELECT COUNT(*) FROM " + TABLE + " WHERE " + condition)
                .get(0));
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void thousands_of_an_unknown_type_cost_one_statement_a_poll_and_are_left_as_they_are(Ordering ordering)
            throws Exception {
        insert(IntStream.range(0, MANY)
                .mapToObj(i -> event("n" + i, "Tock", "k" + i % 100, i))
                .toList());
        CountedStatements counted = new CountedStatements(database().pool(), TABLE);
        try (Node old = node(counted.dataSource(), ordering, UnknownTypeSuite::withLeases, "Tick")) {
            IntStream.range(0, 5).forEach(i -> old.poller.poll());
            assertThat(counted.take().stream().filter(sql -> sql.startsWith("UPDATE") || sql.startsWith("WITH")))
                    .as("the first claim takes and gives back, the others find nothing")
                    .hasSizeLessThan(10);

            IntStream.range(0, 20).forEach(i -> old.poller.poll());
            assertThat(counted.take()).hasSize(20);
            assertThat(old.dispatcher.waitingRoutes()).containsExactly(new EventRoute("Clock", "Tock"));
        }
        assertThat(
                        count(
                                "status = 0 AND attempts = 0 AND locked_by IS NULL AND locked_at IS NULL AND last_error IS NULL"))
                .isEqualTo(MANY);
    }

    @Test
    void what_only_the_new_node_knows_is_delivered_there_and_the_rest_does_not_wait() throws Exception {
        insert(alternating());
        try (Node old = node(Ordering.NONE, "Tick")) {
            old.poller.start();
            awaitDeliveries(KEYS * (OF_EACH_KEY - 3));

            try (Node young = node(Ordering.NONE, "Tick", "Tock")) {
                young.poller.start();
                awaitDeliveries(KEYS * 3);
            }
        }
        assertThat(delivered.values().stream().flatMap(List::stream))
                .hasSize(KEYS * OF_EACH_KEY)
                .doesNotHaveDuplicates();
        assertThat(count("status = 1 AND attempts = 0")).isEqualTo(KEYS * OF_EACH_KEY);
    }

    @Test
    void with_order_the_key_waits_at_the_old_node_and_goes_on_at_the_new_one() throws Exception {
        List<EventEnvelope> events = alternating();
        insert(events);
        try (Node old = node(Ordering.PER_AGGREGATE, "Tick")) {
            old.poller.start();
            awaitDeliveries(KEYS * 9);
            awaitQuietPolls(old);
            assertThat(arrived.availablePermits()).isZero();
            assertThat(count("locked_by IS NOT NULL OR locked_at IS NOT NULL"))
                    .as("neither leased nor parked")
                    .isZero();

            try (Node young = node(Ordering.PER_AGGREGATE, "Tick", "Tock")) {
                young.poller.start();
                awaitDeliveries(KEYS * (OF_EACH_KEY - 9));
            }
        }
        for (int key = 0; key < KEYS; key++) {
            String name = "k" + key;
            assertThat(delivered.get(name))
                    .isEqualTo(events.stream()
                            .filter(event -> name.equals(event.aggregateId()))
                            .map(EventEnvelope::eventId)
                            .toList());
        }
        assertThat(count("status = 1 AND attempts = 0")).isEqualTo(KEYS * OF_EACH_KEY);
    }

    /** Of each key every tenth one is of the new type. */
    private static List<EventEnvelope> alternating() {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < OF_EACH_KEY; i++) {
            for (int key = 0; key < KEYS; key++) {
                String id = String.format(Locale.ROOT, "k%d-%02d", key, i);
                events.add(event(id, i % 10 == 9 ? "Tock" : "Tick", "k" + key, events.size()));
            }
        }
        return events;
    }

    private static void awaitQuietPolls(Node node) throws InterruptedException {
        node.signals.await(Signals.Kind.POLLED, node.signals.count(Signals.Kind.POLLED) + 5);
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void a_listener_that_comes_later_finds_what_waits(Ordering ordering) throws Exception {
        insert(IntStream.range(0, MANY)
                .mapToObj(i -> event(String.format(Locale.ROOT, "n%05d", i), "Tock", "k" + i % 20, i))
                .toList());
        try (Node node = node(ordering, "Tick")) {
            node.poller.start();
            awaitQuietPolls(node);

            node.listeners.register("Clock", "Tock", journal());
            awaitDeliveries(MANY);
            assertThat(node.dispatcher.waitingRoutes()).isEmpty();
        }
        assertThat(delivered.values().stream().flatMap(List::stream))
                .hasSize(MANY)
                .doesNotHaveDuplicates();
        if (ordering == Ordering.PER_AGGREGATE) {
            assertThat(delivered.values()).allSatisfy(ids -> assertThat(ids).isSorted());
        }
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void what_is_written_where_nobody_knows_it_is_free_for_others_at_once_and_so_is_what_follows_it(Ordering ordering)
            throws Exception {
        try (Node old = node(ordering, "Tick")) {
            old.commit(event("a1", "Tock", "a", 0), event("b1", "Tick", "b", 0));
            old.commit(event("a2", ordering == Ordering.NONE ? "Tock" : "Tick", "a", 1));
            assertThat(count("aggregate_id = 'a' AND locked_at IS NULL AND locked_by IS NULL"))
                    .isEqualTo(2);
            assertThat(old.signals.count(Signals.Kind.HOT_DROPPED)).isZero();
            if (ordering == Ordering.NONE) {
                awaitDeliveries(1); // b1 was hot
            }

            try (Node young = node(ordering, "Tick", "Tock")) {
                young.poller.start();
                awaitDeliveries(ordering == Ordering.NONE ? 2 : 3);
            }
        }
        assertThat(delivered.get("a")).hasSize(2).containsExactlyInAnyOrder("a1", "a2");
        assertThat(ordering == Ordering.NONE || delivered.get("a").equals(List.of("a1", "a2")))
                .isTrue();
        assertThat(count("status = 1 AND attempts = 0")).isEqualTo(3);
    }

    @Test
    void without_leases_they_are_read_once_and_what_lies_behind_them_is_found() throws Exception {
        insert(IntStream.range(0, MANY)
                .mapToObj(i -> event("n" + i, "Tock", null, i))
                .toList());
        insert(List.of(event("behind", "Tick", null, MANY)));
        CountedStatements counted = new CountedStatements(database().pool(), TABLE);
        try (Node node = node(counted.dataSource(), Ordering.NONE, poller -> poller, "Tick");
                LibraryLog log = new LibraryLog()) {
            node.poller.poll();
            node.poller.poll();
            awaitDeliveries(1);
            node.signals.await(Signals.Kind.SUCCESS, 1);

            counted.take();
            IntStream.range(0, 20).forEach(i -> node.poller.poll());
            assertThat(counted.take()).hasSize(20);
            assertThat(log.entries().stream().filter(line -> line.contains("\"Tock\"")))
                    .hasSize(1);
        }
        assertThat(count("status = 0 AND attempts = 0")).isEqualTo(MANY);
    }

    /** More kinds than a claim can leave out are put off, so that others are found behind them. */
    @ParameterizedTest
    @EnumSource(Ordering.class)
    void very_many_unknown_types_keep_nobody_waiting_and_are_not_looked_at_again_and_again(Ordering ordering)
            throws Exception {
        int kinds = 3 * LeaseStore.ClaimRequest.MOST_LEFT_OUT;
        insert(IntStream.range(0, kinds)
                .mapToObj(i -> event("n" + i, "Tock" + i, "k" + i, i))
                .toList());
        insert(IntStream.range(0, 100)
                .mapToObj(i -> event("t" + i, "Tick", "t" + i, kinds + i))
                .toList());
        CountedStatements counted = new CountedStatements(database().pool(), TABLE);
        try (Node node = node(counted.dataSource(), ordering, UnknownTypeSuite::withLeases, "Tick")) {
            node.poller.start();
            awaitDeliveries(100);
            node.signals.await(Signals.Kind.SUCCESS, 100);
            awaitQuietPolls(node);

            node.poller.close();
            counted.take();
            node.poller.poll();
            assertThat(node.dispatcher.waitingRoutes()).hasSize(LeaseStore.ClaimRequest.MOST_LEFT_OUT);
        }
        assertThat(count("status IN (0, 2) AND attempts = 0 AND locked_at IS NULL"))
                .isEqualTo(kinds);
        assertThat(count("status = 2")).isEqualTo(kinds - LeaseStore.ClaimRequest.MOST_LEFT_OUT);
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void a_claim_leaves_out_exactly_the_kinds_that_it_is_told(Ordering ordering) throws Exception {
        insert(List.of(
                event("1", "Tock", null, 1),
                event("2", "Tick", null, 2),
                event("3", "tock", null, 3),
                event("4", "Tock ", null, 4),
                event("5", "Töck", null, 5),
                EventEnvelope.builder("Tock")
                        .eventId("6")
                        .aggregateType("Watch")
                        .occurredAt(CREATED)
                        .payloadJson("{}")
                        .build(),
                EventEnvelope.builder("Gong").eventId("7").payloadJson("{}").build(),
                EventEnvelope.builder("Gong").eventId("8").payloadJson("{}").build()));
        Tables.execute(database().pool(), "UPDATE " + TABLE + " SET aggregate_type = NULL WHERE event_id = '8'");
        LeaseStore.ClaimRequest request = new LeaseStore.ClaimRequest(
                "owner",
                Duration.ofMinutes(5),
                Duration.ZERO,
                10,
                LeaseStore.Start.BEGINNING,
                Set.of(
                        new EventRoute("Clock", "Tock"),
                        new EventRoute("__GLOBAL__", "Gong"),
                        new EventRoute("Clock", "nobody's")));
        List<LeaseStore.Taken> taken = new ArrayList<>();
        try (Connection conn = database().pool().getConnection()) {
            if (ordering == Ordering.NONE) {
                taken.addAll(table.store().leases().claim(conn, request).events());
            } else {
                table.store()
                        .ordered()
                        .claim(conn, request, List.of())
                        .runs()
                        .forEach(run -> taken.addAll(run.events()));
            }
            assertThat(table.store().pollPending(conn, Instant.now(), Duration.ZERO, 10, request.leftOut()))
                    .extracting(event -> event.eventId())
                    .containsExactlyInAnyOrder("2", "3", "4", "5", "6");
        }
        assertThat(taken).extracting(one -> one.event().eventId()).containsExactlyInAnyOrder("2", "3", "4", "5", "6");
    }
}
