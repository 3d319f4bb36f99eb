package outbox.jdbc.it;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.dispatch.Ordering;
import outbox.dispatch.Unroutable;
import outbox.jdbc.TableName;
import outbox.model.EventRoute;

import static org.assertj.core.api.Assertions.assertThat;

/** A rolling update: the old version runs on, is even started again, while events of a new type wait for the first node of the new version. */
@Timeout(120)
abstract class NewNodeSuite {

    private static final String TABLE = "update_outbox";
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    private static final int EVENTS = 300;
    private static final int KEYS = 10;
    private static final long PATIENCE_SECONDS = 60;
    private static final String UNTOUCHED =
            "status = 0 AND attempts = 0 AND locked_by IS NULL AND locked_at IS NULL AND last_error IS NULL";

    private final Map<String, List<String>> delivered = new ConcurrentHashMap<>();
    private final Semaphore arrived = new Semaphore(0);

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        Tables.shipped(database(), TABLE);
    }

    private Node node(Ordering ordering, Duration interval, String... types) {
        Node node = new Node(
                database().pool(),
                Tables.fixture(database(), TableName.of(TABLE)).store(),
                dispatcher -> dispatcher.ordering(ordering).unroutable(Unroutable.WAIT),
                poller -> poller.claimLocking(Duration.ofMinutes(5)).intervalMs(interval.toMillis()));
        for (String type : types) {
            node.listeners.register("Clock", type, event -> {
                delivered
                        .computeIfAbsent(String.valueOf(event.aggregateId()), any -> new CopyOnWriteArrayList<>())
                        .add(event.eventId());
                arrived.release();
            });
        }
        return node;
    }

    private Node oldNode(Ordering ordering) {
        return node(ordering, Duration.ofMillis(20), "Tick");
    }

    private static EventEnvelope[] events() {
        return IntStream.range(0, EVENTS)
                .mapToObj(i -> EventEnvelope.builder("Tock")
                        .eventId(String.format(Locale.ROOT, "n%05d", i))
                        .aggregateType("Clock")
                        .aggregateId("k" + i % KEYS)
                        .occurredAt(CREATED.plusMillis(i))
                        .payloadJson("{}")
                        .build())
                .toArray(EventEnvelope[]::new);
    }

    private static void meetUnknownType(Node node) throws InterruptedException {
        node.poller.start();
        node.signals.await(Signals.Kind.POLLED, node.signals.count(Signals.Kind.POLLED) + 5);
        assertThat(node.dispatcher.waitingRoutes()).containsExactly(new EventRoute("Clock", "Tock"));
    }

    private void allUntouched() {
        assertThat(Tables.select(database().pool(), "SELECT COUNT(*) FROM " + TABLE + " WHERE " + UNTOUCHED))
                .containsExactly(String.valueOf(EVENTS));
    }

    /** Its first polls find everything: after them it would have slept longer than this test lasts. */
    private void newNodeFindsAll(Ordering ordering) throws InterruptedException {
        try (Node young = node(ordering, Duration.ofHours(1), "Tick", "Tock")) {
            young.poller.start();
            assertThat(arrived.tryAcquire(EVENTS, PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("%d of %d without a pause between polls", arrived.availablePermits(), EVENTS)
                    .isTrue();
        }
        assertThat(delivered.values().stream().flatMap(List::stream))
                .hasSize(EVENTS)
                .doesNotHaveDuplicates();
        if (ordering == Ordering.PER_AGGREGATE) {
            assertThat(delivered.values()).allSatisfy(ids -> assertThat(ids).isSorted());
        }
    }

    /** Well within the five seconds that are promised: the sum of the pauses is none at all. */
    @ParameterizedTest
    @EnumSource(Ordering.class)
    void a_new_node_finds_what_waits_without_a_pause(Ordering ordering) throws Exception {
        try (Node old = oldNode(ordering)) {
            old.commit(events());
            meetUnknownType(old);
            allUntouched();

            newNodeFindsAll(ordering);
        }
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void an_old_node_that_is_started_again_lets_them_wait_as_before(Ordering ordering) throws Exception {
        try (Node old = oldNode(ordering)) {
            old.commit(events());
            meetUnknownType(old);
        }
        allUntouched();

        try (Node again = oldNode(ordering)) {
            meetUnknownType(again);
            allUntouched();

            newNodeFindsAll(ordering);
        }
        assertThat(Tables.select(
                        database().pool(), "SELECT COUNT(*) FROM " + TABLE + " WHERE status = 1 AND attempts = 0"))
                .containsExactly(String.valueOf(EVENTS));
    }
}
