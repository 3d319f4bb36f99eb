package outbox.jdbc.it;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.config.OutboxSwitches;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The shortest wiring, as a newcomer has it: a data source and a listener. */
@Timeout(60)
abstract class ShortFacadeSuite {

    private static final TableName TABLE = TableName.of("short_outbox");

    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

    abstract TestedDatabase database();

    @BeforeEach
    void dropTables() {
        Tables.drop(database().pool(), TABLE);
        Tables.drop(database().pool(), TableName.of("short_outbox_node"));
        Tables.execute(
                database().pool(),
                "DROP TABLE IF EXISTS short_order",
                "CREATE TABLE short_order (id VARCHAR(20) PRIMARY KEY)");
    }

    private OutboxBuilder shortest() {
        return JdbcOutbox.builder(database().pool(), TABLE).createTable();
    }

    private Outbox started(CountDownLatch all) {
        Outbox outbox = shortest()
                .listener("OrderPlaced", event -> {
                    delivered.add(event.aggregateId() + event.payloadJson());
                    all.countDown();
                })
                .build();
        outbox.start();
        return outbox;
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private List<String> orders() {
        return Tables.select(database().pool(), "SELECT id FROM short_order ORDER BY id");
    }

    private List<String> rows(String what) {
        return Tables.select(database().pool(), "SELECT " + what + " FROM short_outbox");
    }

    @Test
    void an_event_is_committed_with_the_order_and_delivered() throws Exception {
        CountDownLatch one = new CountDownLatch(1);
        try (Outbox outbox = started(one)) {
            outbox.inTransaction(tx -> {
                JdbcTemplate.update(tx.connection(), "INSERT INTO short_order VALUES ('42')");
                outbox.write("OrderPlaced", "42", "{}");
            });
            await(one);
        }
        assertThat(delivered).containsExactly("42{}");
        assertThat(orders()).containsExactly("42");
        assertThat(rows("status")).containsExactly("1");
    }

    @Test
    void what_throws_leaves_neither_the_order_nor_the_event() {
        try (Outbox outbox = started(new CountDownLatch(1))) {
            assertThatThrownBy(() -> outbox.inTransaction(tx -> {
                        JdbcTemplate.update(tx.connection(), "INSERT INTO short_order VALUES ('42')");
                        outbox.write("OrderPlaced", "42", "{}");
                        throw new IOException("no stock");
                    }))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no stock");
        }
        assertThat(orders()).isEmpty();
        assertThat(rows("status")).isEmpty();
        assertThat(delivered).isEmpty();
    }

    @Test
    void a_result_comes_back_after_the_commit_and_transactions_are_not_nested() throws Exception {
        CountDownLatch one = new CountDownLatch(1);
        try (Outbox outbox = started(one)) {
            String id = outbox.callInTransaction(tx -> {
                assertThatThrownBy(() -> outbox.inTransaction(inner -> {}))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("not nested");
                return outbox.write("OrderPlaced", "{}");
            });
            assertThat(rows("event_id")).containsExactly(id);
            await(one);
            assertThatThrownBy(() -> outbox.write("OrderPlaced", "{}")).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void two_processes_with_the_shortest_wiring_deliver_nothing_twice() throws Exception {
        int events = 200;
        CountDownLatch all = new CountDownLatch(events);
        try (Outbox one = started(all);
                Outbox other = started(all)) {
            for (int i = 0; i < events; i++) {
                String id = String.valueOf(i);
                Outbox writer = i % 2 == 0 ? one : other;
                writer.inTransaction(tx -> {
                    writer.write("OrderPlaced", id, "{}");
                });
            }
            await(all);
            assertThat(one.nodes()).hasSize(2);
        }
        assertThat(delivered).hasSize(events).doesNotHaveDuplicates();
    }

    @Test
    void dead_events_are_kept_until_somebody_asks_otherwise() throws Exception {
        purgesAnEventOfEightDaysAgo(shortest(), List.of("3"));
        purgesAnEventOfEightDaysAgo(
                shortest().switches(OutboxSwitches.from(Map.of())).allActive(), List.of("3"));
        purgesAnEventOfEightDaysAgo(shortest().deadRetention(Duration.ofDays(7)), List.of());
    }

    private void purgesAnEventOfEightDaysAgo(OutboxBuilder builder, List<String> left) throws SQLException {
        try (Outbox outbox = builder.listener("OrderPlaced", event -> {})
                .poller(settings -> settings.intervalMs(60_000))
                .purge(settings ->
                        settings.intervalSeconds(1)) // a run leaves a row that it finds locked to the next one
                .build()) {
            for (int status : new int[] {1, 3}) {
                outbox.inTransaction(tx -> {
                    String id = outbox.write("OrderPlaced", "{}");
                    JdbcTemplate.update(
                            tx.connection(),
                            "UPDATE short_outbox SET locked_by = NULL, locked_at = NULL, created_at = ?, done_at = ?, status = ?"
                                    + " WHERE event_id = ?",
                            java.sql.Timestamp.valueOf("2026-01-01 00:00:00"),
                            java.sql.Timestamp.valueOf("2026-01-01 00:00:00"),
                            status,
                            id);
                });
            }
            outbox.start();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!rows("status").equals(left)) {
                assertThat(System.nanoTime()).as("left: %s", rows("status")).isLessThan(deadline);
                Thread.onSpinWait();
            }
        }
        Tables.execute(database().pool(), "DELETE FROM short_outbox");
    }

    @Test
    void a_replay_is_found_at_once() throws Exception {
        CountDownLatch failed = new CountDownLatch(1);
        CountDownLatch again = new CountDownLatch(2);
        try (Outbox outbox = shortest()
                .listener("OrderPlaced", event -> {
                    if (failed.getCount() > 0) {
                        failed.countDown();
                        throw new IllegalStateException("not today");
                    }
                    again.countDown();
                })
                .dispatcher(settings -> settings.maxAttempts(1))
                .poller(settings -> settings.intervalMs(3_600_000))
                .build()) {
            outbox.start();
            outbox.inTransaction(tx -> {
                outbox.write("OrderPlaced", "{}");
            });
            await(failed);
            while (outbox.deadEvents().count(null) == 0) {
                Thread.onSpinWait(); // the test's timeout ends it
            }
            // Outcomes are recorded one after the other: nothing of the first is left in memory when that of the second
            // is there.
            outbox.inTransaction(tx -> {
                outbox.write("OrderPlaced", "{}");
            });
            while (!rows("status").contains("1")) {
                Thread.onSpinWait();
            }
            assertThat(outbox.deadEvents().replayAll(null, null, 10)).isEqualTo(1);
            await(again);
        }
    }

    @Test
    void one_process_at_a_time_delivers_with_the_plans_switches() throws Exception {
        CountDownLatch one = new CountDownLatch(1);
        try (Outbox outbox = shortest()
                .listener("OrderPlaced", event -> one.countDown())
                .switches(OutboxSwitches.from(Map.of("OUTBOX_RELAY_POLL_INTERVAL", "50ms")))
                .build()) {
            outbox.start();
            outbox.inTransaction(tx -> {
                outbox.write("OrderPlaced", "{}");
            });
            await(one);
        }
    }

    @Test
    void an_ordered_outbox_creates_what_it_needs() throws Exception {
        CountDownLatch all = new CountDownLatch(3);
        try (Outbox outbox = shortest()
                .ordered()
                .listener("OrderPlaced", event -> {
                    delivered.add(event.payloadJson());
                    all.countDown();
                })
                .build()) {
            outbox.start();
            for (int i = 1; i <= 3; i++) {
                String number = String.valueOf(i);
                outbox.inTransaction(tx -> {
                    outbox.write("OrderPlaced", "42", number);
                });
            }
            await(all);
        }
        assertThat(delivered).containsExactly("1", "2", "3");
    }
}
