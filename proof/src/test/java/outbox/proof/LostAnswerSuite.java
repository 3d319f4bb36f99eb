package outbox.proof;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.dispatch.Ordering;
import outbox.jdbc.JdbcTemplate;
import outbox.proof.proxy.FaultyProxy;
import outbox.testservers.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Business transactions over a network that loses commits and answers to commits. The client often cannot know what has become of its
 * transaction; the database knows, and what it has committed is delivered once, and nothing else.
 */
@Timeout(180)
abstract class LostAnswerSuite extends NetworkSuite {

    private static final int TRANSACTIONS = 60;
    private static final int KEYS = 5;

    private final ConcurrentMap<String, AtomicInteger> deliveries = new ConcurrentHashMap<>();

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void exactly_what_the_database_has_committed_is_delivered(Ordering ordering) throws Exception {
        long seed = System.nanoTime();
        TestDatabase database = newDatabase("CREATE TABLE business (id VARCHAR(36) PRIMARY KEY)");
        try (FaultyProxy proxy = FaultyProxy.to(database.port());
                HikariDataSource direct = OutboxNode.pool(database);
                HikariDataSource spoilt = spoilt(database, proxy.port())) {
            Map<String, Boolean> told;
            try (OutboxNode node = new OutboxNode(dialect(), spoilt, direct, ordering, this::deliver)) {
                told = write(node, proxy, new Random(seed));
                awaitNothingPending(direct);
            }
            Set<String> committed;
            try (Connection conn = direct.getConnection()) {
                committed = new HashSet<>(JdbcTemplate.query(conn, "SELECT id FROM business", row -> row.getString(1)));
            }
            long known = told.values().stream().filter(returned -> returned).count();
            System.out.println("PROOF " + dialect() + ", lost answers, " + ordering + ", seed " + seed + ": "
                    + committed.size() + " of " + told.size() + " committed, " + known + " known to the client");

            assertThat(deliveries.keySet()).isEqualTo(committed);
            assertThat(deliveries.values()).allMatch(count -> count.get() == 1);
            told.forEach((id, returned) ->
                    assertThat(!returned || committed.contains(id)).as(id).isTrue());
            assertThat(known).isLessThan(committed.size());
            assertThat(committed).hasSizeLessThan(told.size());
        }
    }

    /** Returns for each transaction whether its commit returned. */
    private Map<String, Boolean> write(OutboxNode node, FaultyProxy proxy, Random random) {
        Map<String, Boolean> told = new HashMap<>();
        for (int i = 0; i < TRANSACTIONS; i++) {
            switch (random.nextInt(4)) {
                case 0 -> proxy.swallowAnswerTo(commit());
                case 1 -> proxy.swallow(commit());
                default -> {}
            }
            EventEnvelope event = EventEnvelope.builder(OutboxNode.EVENT_TYPE)
                    .aggregateType(OutboxNode.AGGREGATE_TYPE)
                    .aggregateId("k" + random.nextInt(KEYS))
                    .payloadJson("{}")
                    .build();
            told.put(event.eventId(), node.write(conn -> {
                JdbcTemplate.update(conn, "INSERT INTO business (id) VALUES (?)", event.eventId());
                return event;
            }));
        }
        return told;
    }

    private void deliver(EventEnvelope event) {
        deliveries.computeIfAbsent(event.eventId(), any -> new AtomicInteger()).incrementAndGet();
    }
}
