package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventListener;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.FailingMetrics;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingMetrics.Depths;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.hot;

@Timeout(30)
class OutboxDispatcherTest {

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore().add("a", "b", "c");
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final SignallingTracker tracker = new SignallingTracker();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final List<String> delivered = new CopyOnWriteArrayList<>();

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void hot_and_cold_events_are_delivered_recorded_and_counted() {
        try (OutboxDispatcher dispatcher = dispatcher(1, event -> delivered.add(event.eventId()))) {
            assertThat(dispatcher.enqueueHot(hot("a"))).isTrue();
            assertThat(dispatcher.enqueueCold(cold("b"))).isTrue();
        }

        assertThat(delivered).containsExactlyInAnyOrder("a", "b");
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(store.status("b")).isEqualTo(EventStatus.DONE);
        assertThat(metrics.hotEnqueued).hasValue(1);
        assertThat(metrics.coldEnqueued).hasValue(1);
        assertThat(metrics.success).hasValue(2);
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(0, 0));
    }

    @Test
    void the_first_pick_of_a_fresh_dispatcher_is_hot_and_then_two_of_three() {
        CountDownLatch queued = new CountDownLatch(1);
        EventListener listener = event -> {
            Await.opened(queued);
            delivered.add(event.eventId());
        };
        try (OutboxDispatcher dispatcher = dispatcher(1, listener)) {
            // The worker takes this one and holds it while the queues fill; the turn after it is the second hot one.
            dispatcher.enqueueHot(hot("h0"));
            for (int i = 1; i <= 3; i++) {
                dispatcher.enqueueCold(cold("c" + i));
            }
            for (int i = 1; i <= 4; i++) {
                dispatcher.enqueueHot(hot("h" + i));
            }
            queued.countDown();
        }

        assertThat(delivered).containsExactly("h0", "h1", "c1", "h2", "h3", "c2", "h4", "c3");
    }

    @Test
    void as_many_events_run_at_once_as_there_are_workers_on_named_daemon_threads() {
        CyclicBarrier all = new CyclicBarrier(3);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        EventListener listener = event -> {
            Await.met(all);
            assertThat(Thread.currentThread().isDaemon()).isTrue();
            threads.add(Thread.currentThread().getName());
        };
        try (OutboxDispatcher dispatcher = dispatcher(3, listener)) {
            dispatcher.enqueueHot(hot("a"));
            dispatcher.enqueueHot(hot("b"));
            dispatcher.enqueueCold(cold("c"));
        }

        assertThat(threads)
                .containsExactlyInAnyOrder("outbox-dispatcher-1", "outbox-dispatcher-2", "outbox-dispatcher-3");
        assertThat(store.count(EventStatus.DONE)).isEqualTo(3);
    }

    @Test
    void without_workers_nothing_is_processed() {
        try (OutboxDispatcher dispatcher = dispatcher(0, event -> delivered.add(event.eventId()))) {
            assertThat(dispatcher.enqueueHot(hot("a"))).isTrue();
            assertThat(dispatcher.enqueueCold(cold("b"))).isTrue();
            assertThat(metrics.lastDepths()).isEqualTo(new Depths(1, 1));
        }

        assertThat(delivered).isEmpty();
        assertThat(store.calls()).isEmpty();
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(tracker.isFree("b")).isTrue();
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(0, 0));
    }

    @Test
    void an_event_that_is_queued_is_not_queued_again() {
        try (OutboxDispatcher dispatcher = dispatcher(0, event -> {})) {
            assertThat(dispatcher.enqueueHot(hot("a"))).isTrue();
            assertThat(dispatcher.enqueueHot(hot("a"))).isTrue();
            assertThat(dispatcher.enqueueCold(cold("a"))).isTrue();
            assertThat(dispatcher.enqueueCold(cold("b"))).isTrue();
            assertThat(dispatcher.enqueueHot(hot("b"))).isTrue();

            assertThat(metrics.lastDepths()).isEqualTo(new Depths(1, 1));
            assertThat(metrics.hotEnqueued).hasValue(1);
            assertThat(metrics.coldEnqueued).hasValue(1);
        }
    }

    @Test
    void an_event_that_is_running_is_not_queued_again() {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        EventListener listener = event -> {
            delivered.add(event.eventId());
            running.countDown();
            Await.opened(finish);
        };
        try (OutboxDispatcher dispatcher = dispatcher(2, listener)) {
            dispatcher.enqueueHot(hot("a"));
            Await.opened(running);
            assertThat(dispatcher.enqueueHot(hot("a"))).isTrue();
            assertThat(dispatcher.enqueueCold(cold("a"))).isTrue();
            finish.countDown();
        }

        assertThat(delivered).containsExactly("a");
    }

    @Test
    void an_event_that_has_ended_may_come_again() throws InterruptedException {
        try (OutboxDispatcher dispatcher = dispatcher(1, event -> delivered.add(event.eventId()))) {
            dispatcher.enqueueHot(hot("a"));
            assertThat(tracker.nextReleased()).isEqualTo("a");
            assertThat(dispatcher.enqueueCold(cold("a"))).isTrue();
        }

        assertThat(delivered).containsExactly("a", "a");
    }

    @Test
    void a_full_queue_refuses_and_what_it_refused_is_not_in_flight() {
        try (OutboxDispatcher dispatcher =
                builder(0, event -> {}).hotQueueCapacity(1).coldQueueCapacity(2).build()) {
            assertThat(dispatcher.enqueueHot(hot("a"))).isTrue();
            assertThat(dispatcher.enqueueHot(hot("b"))).isFalse();
            assertThat(tracker.isFree("b")).isTrue();
            assertThat(dispatcher.coldQueueRemainingCapacity()).isEqualTo(2);
            assertThat(dispatcher.enqueueCold(cold("b"))).isTrue();
            assertThat(dispatcher.coldQueueRemainingCapacity()).isEqualTo(1);
            assertThat(dispatcher.enqueueCold(cold("c"))).isTrue();
            assertThat(dispatcher.coldQueueRemainingCapacity()).isZero();
            assertThat(dispatcher.enqueueCold(cold("d"))).isFalse();
            assertThat(tracker.isFree("d")).isTrue();
            assertThat(metrics.hotEnqueued).hasValue(1);
            assertThat(metrics.coldEnqueued).hasValue(2);
        }
    }

    @Test
    void a_failed_event_waits_as_the_policy_and_the_clock_say() {
        ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
        OutboxDispatcher dispatcher = builder(1, event -> {
                    throw new IllegalStateException("no");
                })
                .retryPolicy(attempts -> attempts * 1_000L)
                .maxAttempts(3)
                .clock(clock)
                .build();
        dispatcher.enqueueCold(new QueuedEvent(cold("a").envelope(), QueuedEvent.Source.COLD, 1));
        dispatcher.enqueueCold(new QueuedEvent(cold("b").envelope(), QueuedEvent.Source.COLD, 2));
        dispatcher.close();

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plus(Duration.ofSeconds(2)));
        assertThat(store.status("b")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void a_store_that_recovers_gets_its_done_and_never_a_retry() {
        store.failNext(2);
        try (OutboxDispatcher dispatcher = dispatcher(1, event -> delivered.add(event.eventId()))) {
            dispatcher.enqueueHot(hot("a"));
        }

        assertThat(delivered).containsExactly("a");
        assertThat(store.calls()).containsExactly("markDone a", "markDone a", "markDone a");
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(metrics.failure).hasValue(0);
        assertThat(metrics.dead).hasValue(0);
    }

    @Test
    void a_connection_without_autocommit_is_committed() {
        StubConnections transactional = StubConnections.transactional();
        try (OutboxDispatcher dispatcher =
                builder(1, event -> {}).connectionProvider(transactional).build()) {
            dispatcher.enqueueHot(hot("a"));
        }

        assertThat(transactional.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void an_exporter_that_throws_harms_no_event() {
        try (OutboxDispatcher dispatcher = builder(1, event -> delivered.add(event.eventId()))
                .metrics(new FailingMetrics())
                .build()) {
            assertThat(dispatcher.enqueueHot(hot("a"))).isTrue();
            assertThat(dispatcher.enqueueCold(cold("b"))).isTrue();
        }

        assertThat(delivered).containsExactlyInAnyOrder("a", "b");
        assertThat(store.count(EventStatus.DONE)).isEqualTo(2);
    }

    @Test
    void the_queue_depth_gauge_ends_at_zero_after_concurrent_traffic() throws Exception {
        try (OutboxDispatcher dispatcher = dispatcher(3, event -> delivered.add(event.eventId()))) {
            List<Thread> writers = new ArrayList<>();
            for (int w = 0; w < 3; w++) {
                String prefix = w + "-";
                Thread writer = new Thread(() -> {
                    for (int i = 0; i < 200; i++) {
                        dispatcher.enqueueHot(hot(prefix + "h" + i));
                        dispatcher.enqueueCold(cold(prefix + "c" + i));
                    }
                });
                writer.start();
                writers.add(writer);
            }
            for (Thread writer : writers) {
                writer.join();
            }
        }

        assertThat(delivered).hasSize(1_200).doesNotHaveDuplicates();
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(0, 0));
    }

    private OutboxDispatcher dispatcher(int workers, EventListener listener) {
        return builder(workers, listener).build();
    }

    private OutboxDispatcher.Builder builder(int workers, EventListener listener) {
        return OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, listener))
                .inFlightTracker(tracker)
                .metrics(metrics)
                .drainTimeoutMs(20_000)
                .workerCount(workers);
    }
}
