package outbox.jdbc.it;

import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.dispatch.MovedTime;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** A transaction that is open for longer than the leases of its events is no crash. */
@Timeout(300)
abstract class OpenTransactionSuite {

    private static final boolean LONG = "long".equals(System.getProperty("outbox.test.form"));
    private static final int IMPORTED = LONG ? 100_000 : 2_000;
    private static final int WRITTEN_BY_TWO = 2_000;
    private static final int TRANSACTIONS = 4;
    private static final Duration SHORT_LEASE = Duration.ofSeconds(1);
    private static final Duration LONG_LEASE = Duration.ofMinutes(5);
    private static final String ROWS = "SELECT COUNT(*) FROM open_outbox WHERE ";

    private final AtomicLong ahead = new AtomicLong();
    private final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), "open_outbox");
    }

    private Node node(
            DataSource dataSource, String name, Duration lease, UnaryOperator<OutboxDispatcher.Builder> settings) {
        Node node = new Node(
                dataSource,
                table.store(),
                dispatcher -> settings.apply(MovedTime.ahead(dispatcher, ahead)),
                poller -> poller.claimLocking(name, lease));
        node.listeners.register("Tick", event -> delivered.add(event.eventId()));
        node.poller.start();
        return node;
    }

    private static List<EventEnvelope> events(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> EventEnvelope.ofJson("Tick", "{}"))
                .toList();
    }

    @Test
    void an_import_that_outlives_its_lease_is_written_down_nowhere() throws Exception {
        CountedStatements statements = new CountedStatements(database().pool(), "open_outbox");
        List<EventEnvelope> events = events(IMPORTED);
        try (Node node = node(
                statements.dataSource(), "importer", LONG_LEASE, dispatcher -> dispatcher.hotQueueCapacity(IMPORTED))) {
            try (JdbcTransactionManager.Transaction tx = node.transactions.begin()) {
                node.writer.writeAll(events);
                assertThat(leasesExpire(node)).isEqualTo(IMPORTED);
                tx.commit();
            }
            awaitEnded();
        }

        assertThat(delivered)
                .containsExactlyInAnyOrderElementsOf(
                        events.stream().map(EventEnvelope::eventId).toList());
        assertThat(statements.take())
                .isNotEmpty()
                .noneMatch(sql -> sql.contains("SET attempts = ?") && sql.contains("AND attempts IN (?, ?)"));
        assertThat(rows("status = 1 AND attempts = 0 AND last_error IS NULL")).isEqualTo(IMPORTED);
    }

    /** As if the time had passed for the process and for the database. */
    private int leasesExpire(Node node) throws SQLException {
        ahead.addAndGet(LONG_LEASE.plusSeconds(1).toNanos());
        try (Statement statement = node.txContext.currentConnection().createStatement()) {
            return statement.executeUpdate(
                    "UPDATE open_outbox SET locked_at = TIMESTAMP '2020-01-01 00:00:00' WHERE locked_at IS NOT NULL");
        }
    }

    @Test
    void transactions_that_outlive_their_lease_leave_nothing_dead() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(TRANSACTIONS);
        List<String> written = new ArrayList<>();
        try (Node node1 = node(database().pool(), "node-1", SHORT_LEASE, d -> d.maxAttempts(1));
                Node node2 = node(database().pool(), "node-2", SHORT_LEASE, d -> d.maxAttempts(1))) {
            List<Future<List<String>>> writing = new ArrayList<>();
            for (int i = 0; i < TRANSACTIONS; i++) {
                Node node = i % 2 == 0 ? node1 : node2;
                writing.add(threads.submit(() -> writeSlowly(node)));
            }
            for (Future<List<String>> ids : writing) {
                written.addAll(ids.get(120, TimeUnit.SECONDS));
            }
            awaitEnded();
        } finally {
            threads.shutdownNow();
        }

        assertThat(rows("status = 3")).isZero();
        assertThat(rows("status = 1")).isEqualTo(WRITTEN_BY_TWO);
        assertThat(Set.copyOf(delivered)).containsExactlyInAnyOrderElementsOf(written);
    }

    private static List<String> writeSlowly(Node node) throws SQLException {
        List<EventEnvelope> events = events(WRITTEN_BY_TWO / TRANSACTIONS);
        try (JdbcTransactionManager.Transaction tx = node.transactions.begin()) {
            node.writer.writeAll(events);
            untilExpired(System.nanoTime());
            tx.commit();
        }
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    /** The time itself is what the test is about; the server's clock runs beside ours. */
    private static void untilExpired(long leasedAt) {
        long left = SHORT_LEASE.plusMillis(200).toNanos();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = leasedAt + SHORT_LEASE.plusMillis(200).toNanos() - System.nanoTime();
        }
    }

    private void awaitEnded() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG ? 240 : 60);
        while (rows("status IN (0, 2)") > 0) {
            assertThat(System.nanoTime() - deadline).as("not all has ended").isNegative();
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private int rows(String condition) {
        return Integer.parseInt(
                Tables.select(database().pool(), ROWS + condition).get(0));
    }
}
