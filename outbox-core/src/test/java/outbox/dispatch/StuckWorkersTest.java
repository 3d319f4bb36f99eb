package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.internal.lease.TestLeases;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;

/** Listeners that never return keep what waits behind them from no healthy process. */
class StuckWorkersTest {

    /** Half of it is less than the shortest patience. */
    private static final Duration LEASE = Duration.ofSeconds(40);

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final ManualNanos nanos = new ManualNanos();
    private final LeasingStore store = new LeasingStore(clock);
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final CountDownLatch running = new CountDownLatch(2);
    private final OutboxDispatcher dispatcher = OutboxDispatcher.builder()
            .connectionProvider(StubConnections.autoCommitting())
            .outboxStore(store)
            .listenerRegistry(new DefaultListenerRegistry().register(TYPE, event -> {
                running.countDown();
                letGo.await();
            }))
            .workerCount(2)
            .metrics(metrics)
            .nanoTime(nanos)
            .build();
    private final OutboxPoller poller = OutboxPoller.builder()
            .connectionProvider(StubConnections.autoCommitting())
            .outboxStore(store)
            .handler(new DispatcherPollerHandler(dispatcher))
            .claimLocking("node-1", LEASE)
            .build();

    @AfterEach
    void close() {
        letGo.countDown();
        dispatcher.close();
        poller.close();
        log.close();
    }

    private void takeAndHang(String... ids) {
        store.add(ids);
        poller.poll();
        Await.opened(running);
    }

    private void keepLeases() {
        TestLeases.keep(
                dispatcher.flow().parts().leases(), store.leases(), new FlowHolder(dispatcher.flow(), () -> true));
    }

    @Test
    void what_waits_behind_workers_that_do_not_come_back_is_given_back_and_nothing_more_is_taken() {
        takeAndHang("a", "b", "c", "d");
        nanos.advance(Duration.ofSeconds(30));
        assertThat(dispatcher.flow().claimable()).isPositive();
        nanos.advance(Duration.ofMillis(1));
        keepLeases();

        assertThat(store.lockedBy("c")).isNull();
        assertThat(store.lockedBy("d")).isNull();
        assertThat(store.lockedBy("a")).as("still runs, and is renewed").isEqualTo("node-1");
        assertThat(store.leaseCalls()).anyMatch(call -> call.startsWith("lease.renew node-1 [a, b"));
        assertThat(dispatcher.flow().claimable())
                .as("stays so, although nothing waits")
                .isZero();
        assertThat(store.leases().claim(null, "node-2", LEASE, Duration.ZERO, 10))
                .hasSize(2);
        assertThat(metrics.stuckWorkers).containsExactly(2);
        assertThat(dispatcher.health().problems())
                .containsExactly("none of 2 workers has come back from its listener for 30 s");
        assertThat(log.at(Level.WARNING))
                .filteredOn(line -> line.startsWith("None of 2 workers has come back from its listener for 30 s;"))
                .hasSize(1)
                .first()
                .asString()
                .contains("2 event(s) that wait for them", "StuckWorkersTest");
    }

    @Test
    void health_counts_deliveries_that_run_for_too_long_and_knows_the_last_one_that_ended() {
        takeAndHang("a", "b");
        nanos.advance(Duration.ofSeconds(30));
        assertThat(dispatcher.health().figures().stuckDeliveries()).isZero();
        assertThat(dispatcher.health().figures().lastDelivery()).isNull();
        nanos.advance(Duration.ofMillis(1));
        assertThat(dispatcher.health().figures().stuckDeliveries()).isEqualTo(2);

        letGo.countDown();
        Await.until(() -> dispatcher.health().figures().lastDelivery() != null);
        Await.until(() -> dispatcher.health().figures().stuckDeliveries() == 0);
    }

    @Test
    void what_is_written_meanwhile_is_free_for_others() {
        takeAndHang("a", "b", "c");
        nanos.advance(Duration.ofSeconds(31));
        keepLeases();
        new DispatcherWriterHook(dispatcher).insert(store, null, List.of(event("e")));

        assertThat(store.lockedBy("e")).isNull();
    }

    @Test
    void when_one_comes_back_events_are_taken_again() throws Exception {
        takeAndHang("a", "b", "c");
        nanos.advance(Duration.ofSeconds(31));
        keepLeases();
        letGo.countDown();
        Await.until(() -> metrics.stuckWorkers.size() == 2);

        assertThat(metrics.stuckWorkers).containsExactly(2, 0);
        assertThat(dispatcher.flow().claimable()).isPositive();
        assertThat(dispatcher.health().healthy()).isTrue();
    }

    @Test
    void workers_that_are_busy_while_nothing_waits_are_nobodys_problem() {
        takeAndHang("a", "b");
        nanos.advance(Duration.ofMinutes(10));
        keepLeases();

        assertThat(dispatcher.flow().claimable()).isPositive();
        assertThat(metrics.stuckWorkers).isEmpty();
        assertThat(dispatcher.health().healthy()).isTrue();
    }

    @Test
    void a_worker_that_is_free_or_comes_back_in_time_is_enough() {
        store.add("a");
        poller.poll();
        nanos.advance(Duration.ofMinutes(10));
        keepLeases();

        assertThat(dispatcher.flow().claimable()).isPositive();
    }
}
