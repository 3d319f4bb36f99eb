package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.DuplicateEventException;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.JoinedWriter;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.EventStatus;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Events in transactions that somebody else ends. Whatever is said about the end, and when: nothing is lost, invented or delivered twice, and no
 * place in the hot queue is lost. Unless a test starts the outbox there are no polls, so what is delivered was looked for.
 */
@Timeout(60)
abstract class JoinedSuite {

    private static final TableName TABLE = TableName.of("joined_outbox");
    private static final String LOOK = "SELECT event_id FROM";

    private final ThreadLocalTxContext context = new ThreadLocalTxContext();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final Semaphore arrived = new Semaphore(0);
    private final Semaphore looks = new Semaphore(0);
    private final Semaphore statements = new Semaphore(0);
    private final AtomicBoolean unreachable = new AtomicBoolean();
    private final EventListener journal = event -> {
        delivered.add(event.eventId());
        arrived.release();
    };
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), TABLE.table());
    }

    private OutboxBuilder builder(DataSource dataSource) {
        return JdbcOutbox.builder(dataSource, context, TABLE)
                .withoutPurge()
                .poller(poller -> poller.intervalMs(TimeUnit.HOURS.toMillis(1)));
    }

    private OutboxBuilder shared(DataSource dataSource) {
        return builder(dataSource).claimLocking(Duration.ofMinutes(1)).defaultListener(journal);
    }

    /** The outbox's own connections, watched; can be made to fail. */
    private DataSource watched() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (unreachable.get() && method.getName().equals("getConnection")) {
                        throw new SQLException("unreachable", "08001");
                    }
                    try {
                        Object answer = method.invoke(database().pool(), args);
                        return answer instanceof Connection conn
                                ? StoppedConnection.beforeEach(conn, sql -> {
                                    statements.release();
                                    if (sql.startsWith(LOOK)) {
                                        looks.release();
                                    }
                                })
                                : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Connection begin() throws SQLException {
        Connection conn = database().pool().getConnection();
        conn.setAutoCommit(false);
        return conn;
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("Placed")
                .eventId(id)
                .aggregateType("Order")
                .aggregateId("1")
                .payloadJson("{}")
                .build();
    }

    private static List<EventEnvelope> events(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> event(String.format(Locale.ROOT, "e%04d", i)))
                .toList();
    }

    private void awaitDeliveries(int count) throws InterruptedException {
        assertThat(arrived.tryAcquire(count, 30, TimeUnit.SECONDS))
                .as("%d deliveries, came %s", count, delivered)
                .isTrue();
    }

    private void awaitLook() throws InterruptedException {
        assertThat(looks.tryAcquire(30, TimeUnit.SECONDS)).as("a look").isTrue();
    }

    private void commitHot(Outbox outbox, String id) throws SQLException {
        JdbcTransactionManager transactions = new JdbcTransactionManager(
                new DataSourceConnectionProvider(database().pool()), context);
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            outbox.writer().write(event(id));
            tx.commit();
        }
    }

    @Test
    void after_a_commit_and_a_word_an_event_is_delivered_without_a_poll() throws Exception {
        try (Outbox outbox = shared(database().pool()).build();
                Connection conn = begin()) {
            JoinedWriter events = outbox.on(conn);
            assertThat(events.write(event("a"))).isEqualTo("a");
            events.writeAll(List.of(event("b"), event("c")));
            String brief = events.write("Placed", "42", "{}");
            conn.commit();
            events.committed();

            awaitDeliveries(4);
            assertThat(delivered).containsExactlyInAnyOrder("a", "b", "c", brief);
            assertThat(outbox.health().problems()).isEmpty();
        }
        assertThat(delivered).hasSize(4);
        assertThat(table.find("a").status()).isEqualTo(EventStatus.DONE);
        assertThat(table.find("a").attempts()).isZero();
    }

    @Test
    void without_any_word_an_event_is_delivered_without_a_poll() throws Exception {
        try (Outbox outbox = shared(database().pool()).build();
                Connection conn = begin()) {
            outbox.on(conn).write(event("a"));
            conn.commit();

            awaitDeliveries(1);
        }
        assertThat(delivered).containsExactly("a");
    }

    @Test
    void a_word_before_the_commit_and_a_close_inside_of_the_transaction_do_no_harm() throws Exception {
        try (Outbox outbox = shared(watched()).build();
                Connection conn = begin()) {
            JoinedWriter events = outbox.on(conn);
            events.write(event("a"));
            events.committed();
            awaitLook();
            try (JoinedWriter others = outbox.on(conn)) {
                others.write(event("b"));
            }
            awaitLook();
            assertThat(delivered).isEmpty();
            conn.commit();

            awaitDeliveries(2);
        }
        assertThat(delivered).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void a_rollback_leaves_nothing_whatever_was_said_and_takes_no_place_of_others() throws Exception {
        try (Outbox outbox = shared(watched())
                        .dispatcher(dispatcher -> dispatcher.hotQueueCapacity(1))
                        .build();
                Connection conn = begin()) {
            JoinedWriter wrong = outbox.on(conn);
            wrong.write(event("a"));
            wrong.committed();
            awaitLook();
            conn.rollback();
            // The list is full by now, the hot queue is not.
            commitHot(outbox, "hot");
            awaitDeliveries(1);

            JoinedWriter again = outbox.on(conn);
            again.write(event("a"));
            conn.rollback();
            again.rolledBack();
        }
        assertThat(delivered).containsExactly("hot");
        assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + TABLE))
                .containsExactly("hot");
    }

    @Test
    void a_rollback_that_was_none_does_no_harm() throws Exception {
        try (Outbox outbox = shared(database().pool()).build();
                Connection conn = begin()) {
            JoinedWriter events = outbox.on(conn);
            events.write(event("a"));
            conn.commit();
            events.rolledBack();

            awaitDeliveries(1);
        }
        assertThat(delivered).containsExactly("a");
    }

    @Test
    void what_a_savepoint_took_back_is_not_delivered_and_the_rest_is() throws Exception {
        try (Outbox outbox = shared(database().pool()).build();
                Connection conn = begin()) {
            JoinedWriter events = outbox.on(conn);
            events.write(event("before"));
            Savepoint savepoint = conn.setSavepoint();
            events.write(event("inside"));
            conn.rollback(savepoint);
            events.write(event("after"));
            conn.commit();
            events.committed();

            awaitDeliveries(2);
        }
        assertThat(delivered).containsExactlyInAnyOrder("before", "after");
    }

    @Test
    void one_connection_for_all_is_enough_with_and_without_a_word() throws Exception {
        try (HikariDataSource one = database().newPool(1, true)) {
            try (Outbox outbox = shared(one).build()) {
                try (Connection conn = one.getConnection()) {
                    conn.setAutoCommit(false);
                    JoinedWriter early = outbox.on(conn);
                    early.write(event("early"));
                    early.committed();
                    conn.commit();
                }
                awaitDeliveries(1);
                try (Connection conn = one.getConnection()) {
                    conn.setAutoCommit(false);
                    outbox.on(conn).write(event("silent"));
                    conn.commit();
                }
                awaitDeliveries(1);
            }
            assertThat(one.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
        assertThat(delivered).containsExactly("early", "silent");
    }

    @Test
    void an_event_of_a_dead_process_is_taken_over_and_not_charged_with_an_attempt() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        try (Outbox dying = shared(watched()).build();
                Outbox other = builder(database().pool())
                        .claimLocking(Duration.ofMinutes(1))
                        .defaultListener(event -> {
                            if (failures.getAndIncrement() == 0) {
                                throw new IllegalStateException("not today");
                            }
                            journal.onEvent(event);
                        })
                        .dispatcher(dispatcher -> dispatcher.maxAttempts(2).retryPolicy(attempts -> 0))
                        .poller(poller -> poller.intervalMs(20))
                        .build();
                Connection conn = begin()) {
            unreachable.set(true);
            dying.on(conn).write(event("a"));
            conn.commit();
            Tables.execute(database().pool(), "UPDATE " + TABLE + " SET locked_at = TIMESTAMP '2026-01-01 00:00:00'");
            other.start();

            // With two attempts in all: had the death of the first owner been one, the failure would have been the
            // last.
            awaitDeliveries(1);
        }
        assertThat(delivered).containsExactly("a");
        assertThat(table.find("a").status()).isEqualTo(EventStatus.DONE);
    }

    @Test
    void two_nodes_deliver_each_event_once() throws Exception {
        int count = 40;
        try (Outbox one = shared(database().pool())
                        .poller(poller -> poller.intervalMs(20))
                        .build();
                Outbox other = shared(database().pool())
                        .poller(poller -> poller.intervalMs(20))
                        .build();
                Connection conn = begin()) {
            one.start();
            other.start();
            for (int i = 0; i < count; i++) {
                JoinedWriter events = (i % 2 == 0 ? one : other).on(conn);
                events.write(event("e" + i));
                conn.commit();
                if (i % 3 == 0) {
                    events.committed();
                } else if (i % 3 == 1) {
                    events.close();
                }
            }
            awaitDeliveries(count);
        }
        assertThat(delivered).hasSize(count).doesNotHaveDuplicates();
    }

    @Test
    void events_of_a_key_are_delivered_in_order_whoever_is_looked_for_first() throws Exception {
        int count = 30;
        try (Outbox outbox = shared(database().pool())
                        .ordered()
                        .poller(poller -> poller.intervalMs(20))
                        .build();
                Connection conn = begin()) {
            outbox.start();
            List<EventEnvelope> all = events(count);
            for (int i = 0; i < count; i += 3) {
                JoinedWriter first = outbox.on(conn);
                first.write(all.get(i));
                conn.commit();
                JoinedWriter second = outbox.on(conn);
                second.writeAll(all.subList(i + 1, i + 3));
                conn.commit();
                second.committed();
                first.close();
            }
            awaitDeliveries(count);
        }
        assertThat(delivered)
                .containsExactlyElementsOf(
                        events(count).stream().map(EventEnvelope::eventId).toList());
    }

    @Test
    void what_the_list_has_no_room_for_is_found_by_a_poll_that_the_word_asks_for() throws Exception {
        try (Outbox outbox = shared(watched())
                        .dispatcher(dispatcher -> dispatcher.hotQueueCapacity(2))
                        .build();
                Connection conn = begin()) {
            outbox.start();
            awaitPoll();
            JoinedWriter events = outbox.on(conn);
            events.writeAll(events(5));
            conn.commit();
            events.committed();

            awaitDeliveries(5);
        }
        assertThat(delivered).hasSize(5).doesNotHaveDuplicates();
    }

    /** The one that each poller begins with. */
    private void awaitPoll() throws InterruptedException {
        assertThat(statements.tryAcquire(1, 30, TimeUnit.SECONDS))
                .as("a first poll")
                .isTrue();
    }

    @Test
    void a_transaction_that_was_open_for_longer_than_a_lease_is_renewed_by_the_word_and_not_suspected()
            throws Exception {
        Duration lease = Duration.ofMillis(300);
        try (Outbox outbox = builder(watched())
                        .poller(poller -> poller.claimLocking(lease))
                        .defaultListener(journal)
                        .build();
                Connection conn = begin()) {
            JoinedWriter events = outbox.on(conn);
            events.write(event("a"));
            // Longer than the lease, by the only clock that counts.
            long end = System.nanoTime() + lease.multipliedBy(2).toNanos();
            while (System.nanoTime() - end < 0) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            conn.commit();
            events.committed();

            awaitDeliveries(1);
        }
        assertThat(delivered).containsExactly("a");
        assertThat(table.find("a").attempts()).isZero();
        assertThat(table.find("a").lastError()).isNull();
    }

    @Test
    void what_somebody_else_has_taken_after_the_lease_is_left_to_them() throws Exception {
        try (Outbox outbox = shared(watched()).build();
                Connection conn = begin()) {
            unreachable.set(true);
            JoinedWriter events = outbox.on(conn);
            events.write(event("a"));
            conn.commit();
            Tables.execute(
                    database().pool(), "UPDATE " + TABLE + " SET locked_by = 'other', locked_at = CURRENT_TIMESTAMP");
            unreachable.set(false);
            events.committed();
            awaitLook();
        }
        assertThat(delivered).isEmpty();
        assertThat(table.find("a").lockedBy()).isEqualTo("other");
    }

    @Test
    void without_claim_locking_the_word_wakes_the_poller() throws Exception {
        try (Outbox outbox = builder(watched())
                        .singleProcess()
                        .defaultListener(journal)
                        .build();
                Connection conn = begin()) {
            JoinedWriter events = outbox.on(conn);
            events.write(event("a"));
            outbox.start();
            awaitPoll();
            conn.commit();
            events.committed();

            awaitDeliveries(1);
        }
        assertThat(delivered).containsExactly("a");
        assertThat(looks.availablePermits()).isZero();
    }

    @Test
    void an_outbox_that_only_writes_has_nothing_to_look_for() throws Exception {
        try (Outbox outbox = builder(watched()).writerOnly().build();
                Connection conn = begin()) {
            JoinedWriter events = outbox.on(conn);
            events.write(event("a"));
            conn.commit();
            events.committed();
            events.close();
        }
        assertThat(table.find("a").status()).isEqualTo(EventStatus.NEW);
        assertThat(table.find("a").lockedBy()).isNull();
        assertThat(looks.availablePermits()).isZero();
    }

    @Test
    void delayed_events_and_receipts_work_as_they_do_elsewhere() throws Exception {
        try (Outbox outbox = shared(watched()).build();
                Connection conn = begin()) {
            outbox.start();
            awaitPoll();
            JoinedWriter events = outbox.on(conn);
            assertThat(events.enqueue(event("a"), DuplicatePolicy.FAIL).alreadyThere())
                    .isFalse();
            assertThat(events.enqueueAll(List.of(event("a"), event("b")), DuplicatePolicy.IGNORE))
                    .extracting(receipt -> receipt.eventId() + " " + receipt.alreadyThere())
                    .containsExactly("a true", "b false");
            assertThatThrownBy(() -> events.enqueue(event("b"), DuplicatePolicy.FAIL))
                    .isInstanceOf(DuplicateEventException.class);
            events.write(EventEnvelope.builder("Placed")
                    .eventId("later")
                    .deliverAfter(Duration.ofMillis(200))
                    .payloadJson("{}")
                    .build());
            conn.commit();
            events.committed();

            awaitDeliveries(3);
        }
        assertThat(delivered).containsExactlyInAnyOrder("a", "b", "later");
    }

    @Test
    void closing_the_outbox_delivers_what_was_committed_and_not_looked_for_yet() throws Exception {
        try (Connection conn = begin()) {
            try (Outbox outbox = shared(database().pool()).build()) {
                outbox.on(conn).write(event("a"));
                conn.commit();
            }
        }
        assertThat(delivered).containsExactly("a");
        assertThat(table.find("a").status()).isEqualTo(EventStatus.DONE);
    }

    @Test
    void misuse_is_told_with_the_way_out() throws Exception {
        try (Outbox outbox = shared(database().pool()).build();
                Connection conn = database().pool().getConnection()) {
            conn.setAutoCommit(true);
            assertThatIllegalStateException()
                    .isThrownBy(() -> outbox.on(conn))
                    .withMessageContainingAll("autocommit mode", "setAutoCommit(false)");
            conn.setAutoCommit(false);
            JoinedWriter events = outbox.on(conn);
            events.committed();
            assertThatIllegalStateException()
                    .isThrownBy(() -> events.write(event("a")))
                    .withMessageContainingAll("after committed()", "on(connection)");
            JoinedWriter forgotten = outbox.on(conn);
            conn.setAutoCommit(true);
            assertThatIllegalStateException().isThrownBy(() -> forgotten.write(event("a")));
        }
    }
}
