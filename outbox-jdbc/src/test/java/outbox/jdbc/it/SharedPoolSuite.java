package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.jdbc.TableName;
import outbox.jdbc.it.Signals.Kind;
import outbox.purge.OutboxPurgeScheduler;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** The parts of one application share a connection pool, in either autocommit mode, however small. */
abstract class SharedPoolSuite {

    private static final TableName TABLE = TableName.of("pool_outbox");
    private static final String PENDING = "SELECT event_id FROM pool_outbox WHERE status IN (0, 2)";

    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), TABLE.table());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(120)
    void writers_dispatcher_poller_and_purge_get_by_with_two_connections(boolean autoCommit) throws Exception {
        int producers = 3;
        int each = 60;
        try (HikariDataSource two = database().newPool(2, autoCommit)) {
            try (Node node = new Node(
                            two,
                            table.store(),
                            d -> d.hotQueueCapacity(10),
                            p -> p.claimLocking("node", Duration.ofMinutes(5)));
                    OutboxPurgeScheduler purge = OutboxPurgeScheduler.builder()
                            .connectionProvider(node.connections)
                            .purger(table.purger())
                            .retention(Duration.ZERO)
                            .batchSize(7)
                            .build()) {
                node.listeners.register("Tick", event -> {});
                node.poller.start();
                produce(node, producers, each);
                while (node.signals.count(Kind.SUCCESS) < producers * each) {
                    purge.runOnce();
                    node.signals.await(Kind.SUCCESS, Math.min(producers * each, node.signals.count(Kind.SUCCESS) + 20));
                }
                purge.runOnce();
            }
            assertThat(two.getHikariPoolMXBean().getActiveConnections())
                    .as("connections that were not given back")
                    .isZero();
        }
        assertThat(Tables.select(database().pool(), PENDING)).isEmpty();
    }

    private static void produce(Node node, int producers, int each) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(producers);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < producers; i++) {
                running.add(threads.submit(() -> {
                    for (int n = 0; n < each; n++) {
                        node.commit(EventEnvelope.ofJson("Tick", "{}"));
                    }
                    return null;
                }));
            }
            for (Future<?> producer : running) {
                producer.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /**
     * Without claim locking the poller sees every pending row in each of its rounds: those that are queued, running, and just
     * ending. None of them may be delivered twice.
     */
    @Test
    @Timeout(120)
    void a_poller_without_locks_beside_a_slow_listener_delivers_each_event_exactly_once() throws Exception {
        int events = 100;
        Map<String, AtomicInteger> deliveries = new ConcurrentHashMap<>();
        try (Node node = new Node(database().pool(), table.store(), d -> d.workerCount(1), p -> p.intervalMs(50))) {
            node.listeners.register("Tick", event -> {
                deliveries
                        .computeIfAbsent(event.eventId(), id -> new AtomicInteger())
                        .incrementAndGet();
                TimeUnit.MILLISECONDS.sleep(10);
            });
            node.poller.start();
            for (int i = 0; i < events; i++) {
                node.commit(EventEnvelope.ofJson("Tick", "{}"));
            }
            node.signals.await(Kind.SUCCESS, events);
        }
        assertThat(deliveries).hasSize(events);
        assertThat(deliveries.values()).extracting(AtomicInteger::get).containsOnly(1);
        assertThat(Tables.select(database().pool(), PENDING)).isEmpty();
    }
}
