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
import java.util.function.Predicate;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dispatch.Ordering;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** A table of events that were created long ago, and nodes that write down what they deliver. */
abstract class StarvationFixture {

    static final int OTHERS = 200;
    static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    static final long PATIENCE_SECONDS = 60;
    static final String PARKED = "(waits for its key)";

    final Map<String, List<String>> delivered = new ConcurrentHashMap<>();
    private final Semaphore arrived = new Semaphore(0);
    JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), "starved_outbox");
    }

    Node node(EventListener listener) {
        return node(database().pool(), Ordering.PER_AGGREGATE, listener);
    }

    Node node(DataSource pool, Ordering ordering, EventListener listener) {
        Node node = new Node(
                pool,
                table.store(),
                dispatcher -> dispatcher.ordering(ordering).maxAttempts(1),
                poller -> poller.claimLocking(Duration.ofMinutes(5)));
        node.listeners.register("Clock", "Tick", listener);
        node.poller.start();
        return node;
    }

    /** Remembers what comes, and fails or waits when it is told to. */
    EventListener journal(Predicate<EventEnvelope> fails, CountDownLatch slow) {
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

    void awaitDeliveries(int count) throws InterruptedException {
        assertThat(arrived.tryAcquire(count, PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("%d deliveries; %d are missing", count, count - arrived.availablePermits())
                .isTrue();
    }

    void awaitCount(int count, String condition) throws InterruptedException {
        String select = "SELECT COUNT(*) FROM starved_outbox WHERE " + condition;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Tables.select(database().pool(), select).equals(List.of(String.valueOf(count)))) {
            assertThat(System.nanoTime()).as("not %d with %s", count, condition).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    static List<EventEnvelope> ofKey(String key, int count) {
        return ofKey(key, count, CREATED);
    }

    static List<EventEnvelope> ofKey(String key, int count, Instant from) {
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

    static List<EventEnvelope> others() {
        List<EventEnvelope> others = new ArrayList<>();
        for (int i = 0; i < OTHERS; i++) {
            others.addAll(ofKey("other" + i, 1, CREATED.plusSeconds(3_600)));
        }
        return others;
    }

    void insert(List<EventEnvelope> events) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            table.store().insertBatch(conn, events);
        }
    }

    static List<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }
}
