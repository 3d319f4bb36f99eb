package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** A fail-over that leaves the old primary alive: connections that are good for nothing but look well. */
@Timeout(90)
class ReadOnlyFailoverIT {

    private static final int POOL_SIZE = 6;
    private static final int EVENTS = 40;

    private final TestedDatabase database = TestedDatabase.POSTGRESQL;
    private final AgingSessions sessions = new AgingSessions(database);
    private final Map<String, AtomicInteger> delivered = new ConcurrentHashMap<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final CountDownLatch arrived = new CountDownLatch(2 * EVENTS);
    private JdbcStoreFixture table;

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database, "failover_outbox");
    }

    private HikariDataSource newPool(int size, boolean autoCommit) {
        return database.newPool(size, config -> {
            config.setDataSource(sessions);
            config.setAutoCommit(autoCommit);
        });
    }

    private Node node(DataSource pool) {
        Node node = new Node(
                pool, table.store(), UnaryOperator.identity(), builder -> builder.claimLocking(Duration.ofMinutes(5)));
        node.listeners.register("Tick", event -> {
            assertThat(mayEnd.await(60, TimeUnit.SECONDS)).isTrue();
            delivered
                    .computeIfAbsent(event.eventId(), id -> new AtomicInteger())
                    .incrementAndGet();
            arrived.countDown();
        });
        return node;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_outbox_is_back_at_once_and_delivers_nothing_twice(boolean autoCommit) throws Exception {
        try (HikariDataSource pool = newPool(POOL_SIZE, autoCommit);
                Node node = node(AgingSessions.delegatingTo(pool))) {
            fill(pool);
            node.poller.start();
            node.commit(ticks());
            sessions.makeReadOnly(); // with all of them under way
            mayEnd.countDown();
            insertElsewhere(ticks());

            assertThat(arrived.await(30, TimeUnit.SECONDS)).isTrue();
            awaitAllDone();
        }
        assertThat(delivered).hasSize(2 * EVENTS);
        assertThat(delivered.values()).extracting(AtomicInteger::get).containsOnly(1);
        assertThat(sessions.opened()).isLessThanOrEqualTo(3 * POOL_SIZE);
    }

    @Test
    void a_database_that_is_read_only_as_a_whole_is_not_overrun_and_one_warning_tells() throws Exception {
        sessions.makeNewOnesReadOnly(true);
        try (LibraryLog log = new LibraryLog();
                HikariDataSource pool = newPool(POOL_SIZE, true);
                Node node = node(pool)) {
            fill(pool);
            for (int i = 0; i < 3; i++) {
                CountDownLatch round = new CountDownLatch(1);
                node.poller.poll();
                round.await(600, TimeUnit.MILLISECONDS); // longer than the pause between the first rounds
            }
            for (int i = 0; i < 50; i++) {
                node.poller.poll();
            }
            assertThat(log.entries().stream().filter(entry -> entry.contains("seems to point at a replica")))
                    .hasSize(1);
            assertThat(sessions.opened()).isLessThanOrEqualTo(4 * POOL_SIZE);
        }
    }

    /** Eviction would not help: the next one would be set in the same way. */
    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "mysql", "mariadb"})
    void a_pool_that_sets_its_connections_read_only_is_told_so(String name) {
        TestedDatabase other = switch (name) {
            case "mysql" -> TestedDatabase.MYSQL;
            case "mariadb" -> TestedDatabase.MARIADB;
            default -> TestedDatabase.POSTGRESQL;
        };
        JdbcStoreFixture outbox = Tables.shipped(other, "read_only_outbox");
        try (LibraryLog log = new LibraryLog();
                HikariDataSource pool = other.newPool(2, config -> {
                    config.setReadOnly(true);
                    config.setAutoCommit(false); // otherwise PostgreSQL's driver does not care
                });
                Node node = new Node(
                        pool,
                        outbox.store(),
                        UnaryOperator.identity(),
                        builder -> builder.claimLocking(Duration.ofMinutes(5)))) {
            insert(other.pool(), outbox, EventEnvelope.ofJson("Tick", "{\"name\":\"Ann\"}"));
            node.poller.poll();

            assertThat(log.entries()).anyMatch(entry -> entry.contains("is set to read-only"));
            assertThat(log.entries()).noneMatch(entry -> entry.contains("replica"));
            assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isPositive();
        }
    }

    private void fill(HikariDataSource pool) throws SQLException {
        Connection[] all = new Connection[POOL_SIZE];
        for (int i = 0; i < POOL_SIZE; i++) {
            all[i] = pool.getConnection();
        }
        for (Connection conn : all) {
            conn.close();
        }
    }

    private static EventEnvelope[] ticks() {
        return IntStream.range(0, EVENTS)
                .mapToObj(i -> EventEnvelope.ofJson("Tick", "{}"))
                .toArray(EventEnvelope[]::new);
    }

    /** By an application that has found the new primary. */
    private void insertElsewhere(EventEnvelope... events) {
        insert(database.pool(), table, events);
    }

    private static void insert(DataSource pool, JdbcStoreFixture table, EventEnvelope... events) {
        try (Connection conn = pool.getConnection()) {
            table.store().insertBatch(conn, List.of(events));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private void awaitAllDone() throws InterruptedException {
        CountDownLatch pause = new CountDownLatch(1);
        for (int i = 0; i < 600 && !pending().isEmpty(); i++) {
            pause.await(50, TimeUnit.MILLISECONDS);
        }
        assertThat(pending()).isEmpty();
    }

    private List<String> pending() {
        return Tables.select(database.pool(), "SELECT event_id FROM failover_outbox WHERE status <> 1");
    }
}
