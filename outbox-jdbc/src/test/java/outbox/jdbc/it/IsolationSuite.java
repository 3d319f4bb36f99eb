package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.WriteReceipt;
import outbox.jdbc.OutboxStoreException;
import outbox.model.OutboxEvent;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Inserts, claims, marks and purges at the same time, on the isolation levels that differ in what they lock. */
abstract class IsolationSuite {

    private static final int EVENTS = 1_500;

    private final AtomicInteger deadlocks = new AtomicInteger();
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), "outbox_event");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    @Timeout(180)
    void everything_at_once_neither_deadlocks_nor_loses_nor_repeats(String isolation) throws Exception {
        Map<String, AtomicInteger> taken = new ConcurrentHashMap<>();
        AtomicBoolean finished = new AtomicBoolean();
        try (HikariDataSource pool = database().newPool(8, config -> config.setTransactionIsolation(isolation))) {
            ExecutorService threads = Executors.newFixedThreadPool(6);
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                running.add(threads.submit(() -> produce(pool)));
            }
            for (int i = 0; i < 3; i++) {
                String owner = "owner-" + i;
                running.add(threads.submit(() -> claimAndFinish(pool, owner, taken)));
            }
            Future<?> purging = threads.submit(() -> purge(pool, finished));
            for (Future<?> work : running) {
                work.get(150, TimeUnit.SECONDS);
            }
            finished.set(true);
            purging.get(30, TimeUnit.SECONDS);
            threads.shutdown();
        }
        assertThat(taken).hasSize(EVENTS);
        assertThat(taken.values()).extracting(AtomicInteger::get).containsOnly(1);
        assertThat(deadlocks).as("deadlock victims").hasValueLessThan(EVENTS / 100);
    }

    /** A plain read would see what was there when the transaction began. */
    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void an_event_that_came_after_the_transaction_began_is_read_back(String isolation) throws Exception {
        EventEnvelope first = EventEnvelope.ofJson("Tick", "{}");
        EventEnvelope second = EventEnvelope.ofJson("Tick", "{}");
        EventEnvelope third = EventEnvelope.ofJson("Tick", "{}");
        try (HikariDataSource pool = database().newPool(2, config -> config.setTransactionIsolation(isolation));
                Connection conn = pool.getConnection();
                Connection other = pool.getConnection()) {
            conn.setAutoCommit(false);
            table.store().pollPending(conn, Instant.now(), Duration.ZERO, 10);
            List<WriteReceipt> written = table.store().insertOnce(other, List.of(first, second), DuplicatePolicy.FAIL);

            List<WriteReceipt> single = table.store().insertOnce(conn, List.of(first), DuplicatePolicy.IGNORE);
            List<WriteReceipt> batch = table.store().insertOnce(conn, List.of(third, second), DuplicatePolicy.IGNORE);
            conn.commit();
            conn.setAutoCommit(true);

            assertThat(single.get(0))
                    .isEqualTo(new WriteReceipt(first.eventId(), written.get(0).sequence(), true));
            assertThat(batch.get(0).alreadyThere()).isFalse();
            assertThat(batch.get(1))
                    .isEqualTo(new WriteReceipt(second.eventId(), written.get(1).sequence(), true));
        }
        assertThat(table.find(third.eventId())).isNotNull();
    }

    /** One of those that wait may become the victim of a deadlock; if it repeats its transaction, all is well. */
    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    @Timeout(60)
    void of_two_who_wait_for_an_id_that_is_rolled_back_one_writes_it(String isolation) throws Exception {
        EventEnvelope event = EventEnvelope.ofJson("Tick", "{}");
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (HikariDataSource pool = database().newPool(3, config -> config.setTransactionIsolation(isolation));
                Connection first = pool.getConnection()) {
            first.setAutoCommit(false);
            table.store().insertOnce(first, List.of(event), DuplicatePolicy.FAIL);
            List<Future<Boolean>> waiting = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                waiting.add(threads.submit(() -> writesUntilNoVictim(pool, event)));
            }
            assertThatThrownBy(() -> waiting.get(0).get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            first.rollback();
            first.setAutoCommit(true);

            assertThat(List.of(
                            waiting.get(0).get(50, TimeUnit.SECONDS),
                            waiting.get(1).get(50, TimeUnit.SECONDS)))
                    .containsExactlyInAnyOrder(true, false);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns whether it has written the event. */
    private boolean writesUntilNoVictim(HikariDataSource pool, EventEnvelope event) throws SQLException {
        while (true) {
            try (Connection conn = pool.getConnection()) {
                conn.setAutoCommit(false);
                boolean there = table.store()
                        .insertOnce(conn, List.of(event), DuplicatePolicy.IGNORE)
                        .get(0)
                        .alreadyThere();
                conn.commit();
                conn.setAutoCommit(true);
                return !there;
            } catch (OutboxStoreException e) {
                assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("40001");
            }
        }
    }

    private Void produce(HikariDataSource pool) throws SQLException {
        for (int n = 0; n < EVENTS / 2; n += 5) {
            inTransaction(pool, conn -> {
                for (int i = 0; i < 5; i++) {
                    table.store().insertNew(conn, EventEnvelope.ofJson("Tick", "{}"));
                }
                return 0;
            });
        }
        return null;
    }

    private Void claimAndFinish(HikariDataSource pool, String owner, Map<String, AtomicInteger> taken)
            throws SQLException {
        while (taken.size() < EVENTS) {
            List<OutboxEvent> claimed = new ArrayList<>();
            try (var conn = pool.getConnection()) {
                var now = Instant.now().plusSeconds(1);
                claimed.addAll(table.store()
                        .claimPending(conn, owner, now, now.minus(Duration.ofMinutes(5)), Duration.ZERO, 20));
            } catch (OutboxException e) {
                countDeadlock(e);
            }
            for (OutboxEvent event : claimed) {
                taken.computeIfAbsent(event.eventId(), id -> new AtomicInteger())
                        .incrementAndGet();
                inTransaction(pool, conn -> table.store().markDone(conn, event.eventId()));
            }
        }
        return null;
    }

    private Void purge(HikariDataSource pool, AtomicBoolean finished) throws SQLException {
        while (!finished.get()) {
            inTransaction(pool, conn -> table.purger().purge(conn, Instant.now().minusMillis(50), 50));
        }
        return null;
    }

    private interface Work {
        int on(Connection conn);
    }

    /** Repeats what was chosen as the victim of a deadlock, and counts it. */
    private void inTransaction(HikariDataSource pool, Work work) throws SQLException {
        while (true) {
            try (var conn = pool.getConnection()) {
                conn.setAutoCommit(false);
                work.on(conn);
                conn.commit();
                return;
            } catch (OutboxException e) {
                countDeadlock(e);
            }
        }
    }

    private void countDeadlock(OutboxException e) {
        if (!(e.getCause() instanceof SQLException cause) || !"40001".equals(cause.getSQLState())) {
            throw e;
        }
        deadlocks.incrementAndGet();
    }
}
