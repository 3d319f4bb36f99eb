package outbox.proof;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.dispatch.Ordering;
import outbox.jdbc.JdbcTemplate;
import outbox.proof.proxy.FaultyProxy;
import outbox.testservers.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Two nodes under load whose every connection is cut, half-closed, held up, refused or robbed of the answer to a commit. */
@Timeout(240)
abstract class RoughNetworkSuite extends NetworkSuite {

    private static final int NODES = 2;
    private static final int WRITERS = 2;
    private static final int KEYS = 20;
    private static final int FAULTS = 30;

    private final List<String> delivered = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean writing = true;

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void nothing_is_lost_or_invented_and_order_is_kept_where_asked_for(Ordering ordering) throws Exception {
        long seed = System.nanoTime();
        TestDatabase database = newDatabase(
                "CREATE TABLE account (id INT PRIMARY KEY, n INT NOT NULL)",
                "CREATE TABLE ledger (event_id VARCHAR(36) PRIMARY KEY, id INT NOT NULL, n INT NOT NULL)");
        try (HikariDataSource direct = OutboxNode.pool(database)) {
            for (int key = 0; key < KEYS; key++) {
                try (Connection conn = direct.getConnection()) {
                    JdbcTemplate.update(conn, "INSERT INTO account (id, n) VALUES (?, 0)", key);
                }
            }
            loadAndSpoil(database, direct, ordering, new Random(seed));
            judge(direct, ordering, seed);
        }
    }

    private void loadAndSpoil(TestDatabase database, HikariDataSource direct, Ordering ordering, Random random)
            throws Exception {
        List<AutoCloseable> open = new ArrayList<>();
        List<FaultyProxy> proxies = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(NODES * WRITERS);
        try {
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                FaultyProxy proxy = FaultyProxy.to(database.port());
                proxies.add(proxy);
                open.add(proxy);
                HikariDataSource pool = spoilt(database, proxy.port());
                open.add(pool);
                OutboxNode node =
                        new OutboxNode(dialect(), pool, pool, ordering, event -> delivered.add(event.eventId()));
                open.add(node);
                for (int w = 0; w < WRITERS; w++) {
                    long writerSeed = random.nextLong();
                    writers.add(threads.submit(() -> write(node, new Random(writerSeed))));
                }
            }
            for (int i = 0; i < FAULTS; i++) {
                Thread.sleep(50 + random.nextInt(150)); // at any moment of the load
                spoil(proxies.get(random.nextInt(NODES)), random);
            }
            writing = false;
            proxies.forEach(RoughNetworkSuite::heal);
            for (Future<?> writer : writers) {
                writer.get();
            }
            awaitNothingPending(direct);
        } finally {
            writing = false;
            threads.shutdownNow();
            Collections.reverse(open);
            for (AutoCloseable resource : open) {
                resource.close();
            }
        }
    }

    private void spoil(FaultyProxy proxy, Random random) {
        heal(proxy);
        switch (random.nextInt(6)) {
            case 0 -> proxy.cut();
            case 1 -> proxy.halfClose();
            case 2 -> proxy.delay(Duration.ofMillis(1 + random.nextInt(20)));
            case 3 -> {
                proxy.refuse(true);
                proxy.cut();
            }
            case 4 -> proxy.swallowAnswerTo(commit());
            default -> proxy.swallow(commit());
        }
    }

    private static void heal(FaultyProxy proxy) {
        proxy.delay(Duration.ZERO);
        proxy.refuse(false);
    }

    private void write(OutboxNode node, Random random) {
        while (writing) {
            int key = random.nextInt(KEYS);
            node.write(conn -> {
                JdbcTemplate.update(conn, "UPDATE account SET n = n + 1 WHERE id = ?", key);
                int n = JdbcTemplate.query(conn, "SELECT n FROM account WHERE id = ?", row -> row.getInt(1), key)
                        .get(0);
                EventEnvelope event = EventEnvelope.builder(OutboxNode.EVENT_TYPE)
                        .aggregateType(OutboxNode.AGGREGATE_TYPE)
                        .aggregateId(Integer.toString(key))
                        .payloadJson("{\"n\":" + n + "}")
                        .build();
                JdbcTemplate.update(
                        conn, "INSERT INTO ledger (event_id, id, n) VALUES (?, ?, ?)", event.eventId(), key, n);
                return event;
            });
        }
    }

    /** What the business has committed, in its order. */
    private record Booked(String eventId, int key) {}

    private void judge(HikariDataSource direct, Ordering ordering, long seed) throws Exception {
        List<Booked> booked;
        try (Connection conn = direct.getConnection()) {
            booked = JdbcTemplate.query(
                    conn,
                    "SELECT event_id, id FROM ledger ORDER BY id, n",
                    row -> new Booked(row.getString(1), row.getInt(2)));
        }
        Set<String> firsts = new LinkedHashSet<>(delivered);
        System.out.println("PROOF " + dialect() + ", rough network, " + ordering + ", seed " + seed + ": "
                + booked.size() + " events, " + FAULTS + " faults, " + (delivered.size() - firsts.size())
                + " repeated");

        assertThat(firsts)
                .containsExactlyInAnyOrderElementsOf(
                        booked.stream().map(Booked::eventId).toList());
        assertThat(booked).hasSizeGreaterThan(FAULTS);
        if (ordering == Ordering.PER_AGGREGATE) {
            Map<String, Integer> keyOf = new HashMap<>();
            booked.forEach(event -> keyOf.put(event.eventId, event.key));
            for (int key = 0; key < KEYS; key++) {
                int wanted = key;
                assertThat(firsts.stream().filter(id -> keyOf.get(id) == wanted).toList())
                        .as("key " + key + ", seed " + seed)
                        .containsExactlyElementsOf(booked.stream()
                                .filter(event -> event.key == wanted)
                                .map(Booked::eventId)
                                .toList());
            }
        }
    }
}
