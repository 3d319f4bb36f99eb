package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.dispatch.Ordering;
import outbox.internal.transaction.DatabaseFailure;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** A pool whose level is higher than what the outbox needs serves it as well as any other, and stays as it is for the application. */
abstract class PoolIsolationSuite {

    private static final int PRODUCERS = 3;
    private static final int EVENTS_EACH = 60;
    private static final int EVENTS = PRODUCERS * EVENTS_EACH;
    private static final int KEYS = 5;

    private final Map<String, AtomicInteger> delivered = new ConcurrentHashMap<>();
    private final CountDownLatch arrived = new CountDownLatch(EVENTS);
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), "level_outbox");
    }

    @ParameterizedTest
    @CsvSource({
        "TRANSACTION_SERIALIZABLE, false",
        "TRANSACTION_SERIALIZABLE, true",
        "TRANSACTION_REPEATABLE_READ, false"
    })
    @Timeout(120)
    void everything_is_delivered_in_order_and_nothing_fails(String level, boolean autoCommit) throws Exception {
        List<Integer> levels = new ArrayList<>();
        try (LibraryLog log = new LibraryLog()) {
            try (HikariDataSource pool = newPool(level, autoCommit);
                    Node first = node(pool);
                    Node second = node(pool)) {
                first.poller.start();
                second.poller.start();
                produce(first, second);
                assertThat(arrived.await(60, TimeUnit.SECONDS))
                        .as("%d of %d arrived", delivered.size(), EVENTS)
                        .isTrue();
                levels.addAll(levelsOf(pool));
            }
            assertThat(log.entries()).noneMatch(entry -> entry.contains("failed") || entry.startsWith("Cannot"));
        }
        assertThat(delivered).hasSize(EVENTS);
        assertThat(delivered.values()).extracting(AtomicInteger::get).containsOnly(1);
        assertThat(levels).containsOnly(levelOf(level));
        assertThat(Tables.select(database().pool(), "SELECT event_id FROM level_outbox WHERE status <> 1"))
                .isEmpty();
    }

    private HikariDataSource newPool(String level, boolean autoCommit) {
        return database().newPool(8, config -> {
            config.setTransactionIsolation(level);
            config.setAutoCommit(autoCommit);
        });
    }

    private Node node(HikariDataSource pool) {
        Node node = new Node(
                pool,
                table.store(),
                builder -> builder.ordering(Ordering.PER_AGGREGATE),
                builder -> builder.claimLocking(Duration.ofMinutes(5)));
        node.listeners.register("Order", "Tick", event -> {
            delivered
                    .computeIfAbsent(event.eventId(), id -> new AtomicInteger())
                    .incrementAndGet();
            arrived.countDown();
        });
        return node;
    }

    private static void produce(Node... nodes) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            Node node = nodes[i % nodes.length];
            int producer = i;
            running.add(threads.submit(() -> {
                for (int n = 0; n < EVENTS_EACH; n++) {
                    commitAtLast(node, "k" + (n + producer) % KEYS);
                }
                return null;
            }));
        }
        for (Future<?> work : running) {
            work.get(100, TimeUnit.SECONDS);
        }
        threads.shutdown();
    }

    /** What an application on such a level does anyway: a transaction that was rolled back is done again. */
    private static void commitAtLast(Node node, String key) throws SQLException {
        while (true) {
            try {
                node.commit(EventEnvelope.builder("Tick")
                        .aggregateType("Order")
                        .aggregateId(key)
                        .payloadJson("{}")
                        .build());
                return;
            } catch (SQLException | OutboxException e) {
                if (DatabaseFailure.of(e) != DatabaseFailure.ROLLED_BACK) {
                    throw e;
                }
            }
        }
    }

    /** As the application finds them. */
    private static List<Integer> levelsOf(HikariDataSource pool) throws SQLException {
        List<Integer> levels = new ArrayList<>();
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            connections.add(pool.getConnection());
        }
        for (Connection conn : connections) {
            levels.add(conn.getTransactionIsolation());
            conn.close();
        }
        return levels;
    }

    private static int levelOf(String name) throws ReflectiveOperationException {
        return Connection.class.getField(name).getInt(null);
    }
}
