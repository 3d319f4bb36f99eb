package outbox.jdbc.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.model.OutboxHealth;
import outbox.model.Relaying;
import outbox.model.TableFigures;
import outbox.spi.LeaseStore;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** What health knows of the table, also in a process that only writes. */
@Timeout(60)
@Tag("locale")
abstract class HealthSuite {

    private static final TableName TABLE = TableName.of("health_outbox");
    private static final Duration TWENTY_MINUTES = Duration.ofMinutes(20);

    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        Tables.drop(database().pool(), TableName.of("health_outbox_node"));
        table = Tables.shipped(database(), TABLE.table());
    }

    private static EventEnvelope event(String id, String key, Duration age) {
        return EventEnvelope.builder("Placed")
                .eventId(id)
                .aggregateType("Order")
                .aggregateId(key)
                .occurredAt(Instant.now().minus(age))
                .payloadJson("{}")
                .build();
    }

    private void insert(EventEnvelope... events) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            table.store().insertBatch(conn, List.of(events));
        }
    }

    /** As a process sees it that has just begun, and only writes. */
    private OutboxHealth writersHealth() {
        try (Outbox writer =
                JdbcOutbox.builder(database().pool(), TABLE).writerOnly().build()) {
            return writer.health();
        }
    }

    private static TableFigures tableOf(OutboxHealth health) {
        assertThat(health.figures().table()).as("%s", health).isNotNull();
        return health.figures().table();
    }

    @Test
    void an_empty_table_is_no_problem_of_a_writer() {
        OutboxHealth health = writersHealth();
        assertThat(health.problems()).isEmpty();
        assertThat(health.warnings()).isEmpty();
        assertThat(health.figures().relaying()).isEqualTo(Relaying.NOBODY);
        assertThat(tableOf(health).oldestPending()).isNull();
        assertThat(tableOf(health).dead()).isZero();
        assertThat(tableOf(health).pending()).isNull();
    }

    @Test
    void an_old_event_is_a_writers_problem_as_long_as_nobody_delivers() throws Exception {
        insert(event("old", "1", TWENTY_MINUTES), event("new", "2", Duration.ZERO));
        OutboxHealth alone = writersHealth();
        assertThat(alone.problems()).singleElement().asString().contains("nobody delivers");
        assertThat(tableOf(alone).oldestPending())
                .isBetween(TWENTY_MINUTES.minusSeconds(5), TWENTY_MINUTES.plusMinutes(5));
        assertThat(tableOf(alone).nodes()).isZero();

        CountDownLatch delivering = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Outbox node = JdbcOutbox.builder(database().pool(), TABLE)
                .listener("Placed", event -> {
                    delivering.countDown();
                    goOn.await();
                })
                .build()) {
            node.start();
            assertThat(delivering.await(30, TimeUnit.SECONDS)).isTrue();
            while (node.nodes().isEmpty()) {
                Thread.onSpinWait(); // the test's timeout ends it
            }
            OutboxHealth together = writersHealth();
            assertThat(together.problems()).isEmpty();
            assertThat(together.warnings()).singleElement().asString().contains("although somebody delivers");
            assertThat(together.figures().relaying()).isEqualTo(Relaying.SOMEBODY);
            assertThat(tableOf(together).nodes()).isEqualTo(1);

            goOn.countDown();
            while (node.health().figures().lastDelivery() == null) {
                Thread.onSpinWait();
            }
            assertThat(node.health().figures().lastPoll()).isNotNull();
            assertThat(node.health().problems()).isEmpty();
        } finally {
            goOn.countDown();
        }
        assertThat(writersHealth().figures().relaying()).as("it has signed off").isEqualTo(Relaying.NOBODY);
    }

    @Test
    void a_node_that_was_silent_for_too_long_is_nobody() throws Exception {
        insert(event("old", "1", TWENTY_MINUTES));
        try (Connection conn = database().pool().getConnection()) {
            table.store().leases().heartbeat(conn, "gone");
        }
        assertThat(writersHealth().problems()).isEmpty();
        try (Connection conn = database().pool().getConnection()) {
            LeaseStore leases = table.store().leases();
            while (leases.livingNodes(conn, Duration.ofMillis(1)).getAsInt() > 0) {
                Thread.onSpinWait();
            }
            assertThat(leases.livingNodes(conn, Duration.ofMinutes(5))).hasValue(1);
        }
    }

    @Test
    void without_a_table_of_nodes_the_age_alone_decides() throws Exception {
        Tables.drop(database().pool(), TableName.of("health_outbox_node"));
        insert(event("old", "1", TWENTY_MINUTES));
        OutboxHealth health = writersHealth();
        assertThat(health.figures().relaying()).isEqualTo(Relaying.UNKNOWN);
        assertThat(health.problems()).singleElement().asString().contains("unknown whether anybody delivers");
    }

    @Test
    void what_is_due_in_the_future_is_not_old_and_a_retry_is_as_old_as_it_is_due() throws Exception {
        insert(EventEnvelope.builder("Placed")
                .eventId("later")
                .occurredAt(Instant.now().minus(TWENTY_MINUTES))
                .deliverAfter(Duration.ofHours(1))
                .payloadJson("{}")
                .build());
        assertThat(tableOf(writersHealth()).oldestPending()).isNull();

        insert(event("retry", "1", Duration.ofHours(1)), event("ended", "1", Duration.ofHours(2)));
        try (Connection conn = database().pool().getConnection()) {
            table.store().markRetry(conn, "retry", Instant.now().minus(TWENTY_MINUTES), "no");
            table.store().markDone(conn, "ended");
        }
        assertThat(tableOf(writersHealth()).oldestPending())
                .isBetween(TWENTY_MINUTES.minusSeconds(5), TWENTY_MINUTES.plusMinutes(5));
    }

    @Test
    void what_waits_for_a_held_key_is_not_old_however_much_it_is() throws Exception {
        insert(event("head", "1", Duration.ofHours(3)));
        try (Connection conn = database().pool().getConnection()) {
            LeaseStore leases = table.store().leases();
            leases.claim(conn, "me", Duration.ofMinutes(1), Duration.ZERO, 10);
            leases.markDead(conn, "me", List.of(new LeaseStore.HeldDead("head", "no", true)));
        }
        insert(IntStream.range(0, 1_100)
                .mapToObj(i -> event(String.format(Locale.ROOT, "f%04d", i), "1", Duration.ofHours(2)))
                .toArray(EventEnvelope[]::new));
        OutboxHealth held = writersHealth();
        assertThat(held.problems()).isEmpty();
        assertThat(tableOf(held).oldestPending()).isNull();
        assertThat(tableOf(held).dead()).isEqualTo(1);
        assertThat(tableOf(held).heldKeys()).isEqualTo(1);

        insert(event("free", "2", TWENTY_MINUTES));
        assertThat(tableOf(writersHealth()).oldestPending())
                .isBetween(TWENTY_MINUTES.minusSeconds(5), TWENTY_MINUTES.plusMinutes(5));
    }

    @Test
    void dead_events_are_counted_to_a_limit_and_pending_ones_only_where_that_is_asked() throws Exception {
        insert(event("a", "1", Duration.ZERO), event("b", "2", Duration.ZERO), event("c", "3", Duration.ZERO));
        try (Connection conn = database().pool().getConnection()) {
            table.store().markDead(conn, "a", "no");
            table.store().markRetry(conn, "b", Instant.now().plusSeconds(3600), "no");
            assertThat(table.store().overview(conn, 10, 0).pending()).isZero();
            assertThat(table.store().overview(conn, 10, 1).pending()).isEqualTo(1);
            assertThat(table.store().overview(conn, 10, 10).pending()).isEqualTo(2);
            assertThat(table.store().overview(conn, 10, 10).dead().dead()).isEqualTo(1);
        }
    }

    @Test
    void a_database_that_is_away_is_told_as_such_and_not_as_a_zero() {
        AtomicBoolean away = new AtomicBoolean();
        try (Outbox writer =
                JdbcOutbox.builder(leaving(away), TABLE).writerOnly().build()) {
            away.set(true);
            OutboxHealth health = writer.health();
            assertThat(health.figures().table()).isNull();
            assertThat(health.figures().relaying()).isEqualTo(Relaying.UNKNOWN);
            assertThat(health.warnings())
                    .singleElement()
                    .asString()
                    .startsWith("Table health_outbox could not be asked what waits in it");
        }
    }

    private DataSource leaving(AtomicBoolean away) {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (away.get() && method.getName().equals("getConnection")) {
                        throw new SQLException("away", "08001");
                    }
                    try {
                        return method.invoke(database().pool(), args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void health_asks_two_statements_and_none_again_soon() throws Exception {
        insert(event("old", "1", TWENTY_MINUTES));
        CountedStatements counted = new CountedStatements(database().pool(), TABLE.table());
        try (Outbox writer =
                JdbcOutbox.builder(counted.dataSource(), TABLE).writerOnly().build()) {
            counted.take();
            writer.inTransaction(tx -> {
                writer.write("Placed", "{}");
            });
            assertThat(counted.take()).as("a write").hasSize(1);
            for (int i = 0; i < 100; i++) {
                assertThat(writer.health().healthy()).isFalse();
            }
            assertThat(counted.take()).as("beside that on the table of nodes").hasSize(1);
        }
    }
}
