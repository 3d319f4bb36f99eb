package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
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
class OutboxDispatcherCloseTest {

    private static final long PLENTY_MS = 20_000;

    /** Says when it runs, and then waits until it is let go or interrupted. */
    private static final class StuckListener implements EventListener {
        private final CountDownLatch running = new CountDownLatch(1);
        private final CountDownLatch letGo = new CountDownLatch(1);
        private volatile Thread thread;

        @Override
        public void onEvent(EventEnvelope event) throws InterruptedException {
            thread = Thread.currentThread();
            running.countDown();
            letGo.await();
        }
    }

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore().add("a", "b", "c");
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final SignallingTracker tracker = new SignallingTracker();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final StuckListener stuck = new StuckListener();

    @AfterEach
    void stopCapturing() {
        stuck.letGo.countDown();
        log.close();
    }

    @Test
    void close_drains_both_queues() {
        CountDownLatch go = new CountDownLatch(1);
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, event -> {
            Await.opened(go);
            delivered.add(event.eventId());
        });
        for (int i = 0; i < 20; i++) {
            dispatcher.enqueueHot(hot("h" + i));
            dispatcher.enqueueCold(cold("c" + i));
        }
        go.countDown();
        dispatcher.close();

        assertThat(delivered).hasSize(40);
        assertThat(metrics.success).hasValue(40);
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(0, 0));
        assertThat(log.at(Level.WARNING)).isEmpty();
    }

    @Test
    void close_waits_for_the_event_that_is_running() {
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, stuck);
        dispatcher.enqueueHot(hot("a"));
        Await.opened(stuck.running);
        Thread closer = new Thread(dispatcher::close);
        closer.start();
        Await.waiting(closer);
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        stuck.letGo.countDown();
        join(closer);

        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void after_close_nothing_is_accepted() {
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, event -> delivered.add(event.eventId()));
        dispatcher.close();

        assertThat(dispatcher.enqueueHot(hot("a"))).isFalse();
        assertThat(dispatcher.enqueueCold(cold("b"))).isFalse();
        assertThat(dispatcher.flow().intake().cold(cold("b"), dispatcher.flow().beginPoll()))
                .isFalse();
        assertThat(dispatcher.coldQueueRemainingCapacity()).isZero();
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(delivered).isEmpty();
        assertThat(metrics.hotEnqueued).hasValue(0);
    }

    @Test
    void nothing_is_accepted_while_it_drains_not_even_what_is_already_running() {
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, stuck);
        dispatcher.enqueueHot(hot("a"));
        Await.opened(stuck.running);
        Thread closer = new Thread(dispatcher::close);
        closer.start();
        Await.waiting(closer);

        assertThat(dispatcher.enqueueHot(hot("a"))).isFalse();
        assertThat(dispatcher.enqueueHot(hot("b"))).isFalse();
        stuck.letGo.countDown();
        join(closer);
    }

    @Test
    void when_the_time_is_over_listeners_are_interrupted_and_their_events_stay_pending() throws Exception {
        OutboxDispatcher dispatcher = dispatcher(1, 0, stuck);
        dispatcher.enqueueHot(hot("a", 9));
        Await.opened(stuck.running);
        dispatcher.enqueueHot(hot("b"));
        dispatcher.enqueueCold(cold("c"));
        dispatcher.close();
        stuck.thread.join(10_000);

        assertThat(stuck.thread.isAlive()).isFalse();
        assertThat(store.calls()).isEmpty();
        assertThat(store.count(EventStatus.NEW)).isEqualTo(3);
        for (String id : List.of("a", "b", "c")) {
            assertThat(tracker.isFree(id)).isTrue();
        }
        assertThat(metrics.failure).hasValue(0);
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(0, 0));
        assertThat(log.at(Level.WARNING))
                .contains("Dispatcher did not drain within 0 ms: listeners interrupted, 2 queued event(s) stay pending")
                .anyMatch(line -> line.contains("was interrupted by the shutdown and stays pending"));
    }

    @Test
    void a_forced_stop_does_not_wait_for_an_outcome_that_is_refused() throws Exception {
        store.failNext(1_000);
        OutboxDispatcher dispatcher = dispatcher(1, 0, event -> {});
        dispatcher.enqueueHot(hot("a"));
        for (int i = 0; i < 5; i++) {
            assertThat(store.nextMark()).isEqualTo("markDone a");
        }
        dispatcher.close(); // in the long pause before the sixth try
        assertThat(tracker.nextReleased()).isEqualTo("a");

        assertThat(store.calls()).hasSize(5);
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(log.at(Level.SEVERE)).anyMatch(line -> line.contains("giving up"));
    }

    @Test
    void close_ends_the_workers() {
        List<Thread> workers = new CopyOnWriteArrayList<>();
        CyclicBarrier both = new CyclicBarrier(2);
        OutboxDispatcher dispatcher = dispatcher(2, PLENTY_MS, event -> {
            workers.add(Thread.currentThread());
            Await.met(both);
        });
        dispatcher.enqueueHot(hot("a"));
        dispatcher.enqueueHot(hot("b"));
        dispatcher.close();

        assertThat(workers).hasSize(2);
        workers.forEach(OutboxDispatcherCloseTest::join);
    }

    @Test
    void closing_twice_is_harmless() {
        OutboxDispatcher dispatcher = dispatcher(2, PLENTY_MS, event -> delivered.add(event.eventId()));
        dispatcher.enqueueHot(hot("a"));
        dispatcher.close();
        dispatcher.close();

        assertThat(delivered).containsExactly("a");
    }

    @Test
    void closing_from_several_threads_makes_all_of_them_wait_for_the_end() {
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, stuck);
        dispatcher.enqueueHot(hot("a"));
        Await.opened(stuck.running);
        List<Thread> closers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread closer = new Thread(() -> {
                dispatcher.close();
                delivered.add("closed, event is " + store.status("a"));
            });
            closer.start();
            closers.add(closer);
        }
        closers.forEach(Await::waiting);
        stuck.letGo.countDown();
        closers.forEach(OutboxDispatcherCloseTest::join);

        assertThat(delivered).hasSize(3).containsOnly("closed, event is DONE");
    }

    @Test
    void without_workers_close_returns_at_once() {
        OutboxDispatcher dispatcher = dispatcher(0, Long.MAX_VALUE, event -> {});
        dispatcher.enqueueHot(hot("a"));
        dispatcher.close();

        assertThat(tracker.isFree("a")).isTrue();
    }

    @Test
    void an_interrupted_close_forces_the_stop_and_keeps_the_flag() throws Exception {
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, stuck);
        dispatcher.enqueueHot(hot("a"));
        Await.opened(stuck.running);
        AtomicBoolean flag = new AtomicBoolean();
        Thread closer = new Thread(() -> {
            dispatcher.close();
            flag.set(Thread.currentThread().isInterrupted());
        });
        closer.start();
        Await.waiting(closer);
        closer.interrupt();
        join(closer);
        stuck.thread.join(10_000);

        assertThat(flag).isTrue();
        assertThat(store.calls()).isEmpty();
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void under_concurrent_traffic_what_was_accepted_is_delivered_and_what_was_refused_is_not() {
        OutboxDispatcher dispatcher = dispatcher(2, PLENTY_MS, event -> delivered.add(event.eventId()));
        List<String> accepted = new CopyOnWriteArrayList<>();
        CountDownLatch enough = new CountDownLatch(300);
        List<Thread> writers = new ArrayList<>();
        for (int w = 0; w < 3; w++) {
            String prefix = w + "-";
            Thread writer = new Thread(() -> {
                for (int i = 0; dispatcher.coldQueueRemainingCapacity() > 0; i++) {
                    if (dispatcher.enqueueHot(hot(prefix + i))) {
                        accepted.add(prefix + i);
                    }
                    enough.countDown();
                }
            });
            writer.start();
            writers.add(writer);
        }
        Await.opened(enough);
        dispatcher.close();
        writers.forEach(OutboxDispatcherCloseTest::join);

        assertThat(delivered).containsExactlyInAnyOrderElementsOf(accepted);
        assertThat(metrics.hotEnqueued).hasValue(accepted.size());
    }

    private static void join(Thread thread) {
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(thread.isAlive()).isFalse();
    }

    private OutboxDispatcher dispatcher(int workers, long drainTimeoutMs, EventListener listener) {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, listener))
                .inFlightTracker(tracker)
                .metrics(metrics)
                .drainTimeoutMs(drainTimeoutMs)
                .workerCount(workers)
                .build();
    }
}
