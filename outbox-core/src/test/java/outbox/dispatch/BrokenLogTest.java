package outbox.dispatch;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.LeaseKeeper;
import outbox.internal.lease.TestLeases;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;
import outbox.testsupport.ThrowingLog;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.CREATED_AT;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.hot;

/** A log that throws changes the fate of no event, no transaction and no thread. */
@Timeout(30)
class BrokenLogTest {

    private final ThrowingLog log = new ThrowingLog();
    private final RecordingStore store = new RecordingStore().add("done", "retry", "dead", "unroutable");
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final SignallingTracker tracker = new SignallingTracker();
    private final StubConnections connections = StubConnections.autoCommitting();

    @AfterEach
    void mendLog() {
        log.close();
    }

    private OutboxDispatcher.Builder dispatcher(outbox.EventListener listener) {
        return OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, listener))
                .workerCount(1)
                .maxAttempts(2)
                .completionLingerMs(0)
                .inFlightTracker(tracker)
                .metrics(metrics);
    }

    @Test
    void worker_and_completer_go_on_and_every_outcome_is_recorded() throws Exception {
        try (OutboxDispatcher dispatcher = dispatcher(event -> {
                    if (!event.eventId().equals("done")) {
                        throw new IllegalStateException("no");
                    }
                })
                .build()) {
            dispatcher.enqueueHot(hot("retry"));
            assertThat(tracker.nextReleased()).isEqualTo("retry");
            dispatcher.enqueueHot(hot("dead", 1));
            assertThat(tracker.nextReleased()).isEqualTo("dead");
            dispatcher.enqueueCold(cold("done"));
            assertThat(tracker.nextReleased()).isEqualTo("done");
        }

        assertThat(log.lines()).isPositive();
        assertThat(store.status("retry")).isEqualTo(EventStatus.RETRY);
        assertThat(store.status("dead")).isEqualTo(EventStatus.DEAD);
        assertThat(store.status("done")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void a_database_that_refuses_a_group_does_not_cost_the_outcomes_of_the_group() throws Exception {
        store.failNext(3);
        try (OutboxDispatcher dispatcher = dispatcher(event -> {}).build()) {
            dispatcher.enqueueHot(hot("done"));
            assertThat(tracker.nextReleased()).isEqualTo("done");
        }

        assertThat(store.status("done")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void an_interrupted_worker_goes_on() throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (OutboxDispatcher dispatcher =
                dispatcher(event -> threads.add(Thread.currentThread())).build()) {
            dispatcher.enqueueHot(hot("done"));
            tracker.nextReleased();
            Thread worker = threads.iterator().next();
            Await.waiting(worker);
            worker.interrupt();
            dispatcher.enqueueHot(hot("other"));
            assertThat(tracker.nextReleased()).isEqualTo("other");
        }

        assertThat(threads).hasSize(1);
    }

    @Test
    void an_event_that_the_hot_queue_refuses_does_not_keep_the_rest_of_its_transaction_from_the_queue() {
        LeasingStore shared = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
        try (OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(shared)
                .listenerRegistry(new DefaultListenerRegistry())
                .workerCount(0)
                .hotQueueCapacity(1)
                .metrics(metrics)
                .build()) {
            dispatcher.claimsAs(TestLeases.NODE, TestLeases.TIMEOUT);
            DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
            List<EventEnvelope> batch = List.of(event("free-1"), event("free-2"), event("free-3"));
            hook.afterCommit(batch);

            assertThat(metrics.hotDropped).hasValue(3);
            assertThat(metrics.events).containsOnly("WRITTEN " + TYPE).hasSize(3);
        }
    }

    @Test
    void a_poll_that_meets_a_row_that_cannot_be_read_takes_the_others() {
        store.add(new OutboxEvent("bad", TYPE, "__GLOBAL__", null, null, "{}", "no headers", 0, CREATED_AT));
        store.add("good");
        Set<String> taken = ConcurrentHashMap.newKeySet();
        OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler((event, attempts) -> taken.add(event.eventId()))
                .build()
                .poll();

        assertThat(taken).contains("good");
        assertThat(store.status("bad")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void the_poller_polls_on_after_a_failure() {
        CountDownLatch polls = new CountDownLatch(3);
        try (OutboxPoller poller = OutboxPoller.builder()
                .connectionProvider(() -> {
                    polls.countDown();
                    throw new java.sql.SQLException("database is away");
                })
                .outboxStore(store)
                .handler((event, attempts) -> true)
                .intervalMs(1)
                .build()) {
            poller.start();
            Await.opened(polls);
        }
    }

    @Test
    void leases_that_cannot_be_given_back_are_tried_again() {
        LeasingStore shared = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
        LeaseBook leases = TestLeases.on(System::nanoTime);
        LeaseKeeper keeper = TestLeases.keeper(leases, shared.leases(), connections.failToOpen(1));
        leases.claimed("a", null, System.nanoTime(), true);
        leases.giveBack("a");
        keeper.releaseGivenBack();
        keeper.releaseGivenBack();

        assertThat(shared.leaseCalls()).hasSize(1).first().asString().startsWith("lease.release");
    }
}
