package outbox.dispatch;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventListener;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.Events;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.hot;

/** From the end of a delivery to its durable mark. */
@Timeout(30)
class OutboxDispatcherCompletionTest {

    private static final int GROUP_SIZE = 500;
    private static final int BUFFER_CAPACITY = 4 * GROUP_SIZE;
    private static final long FOR_EVER = Duration.ofDays(1).toMillis();
    private static final long PLENTY_MS = 20_000;

    private final CapturedLog log = new CapturedLog();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final SignallingTracker tracker = new SignallingTracker();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final RecordingStore store = new RecordingStore();

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void completions_of_many_events_share_few_calls() {
        CountDownLatch all = new CountDownLatch(100);
        addRows(100);
        store.beforeGroup(() -> Await.opened(all)); // while the first group is written, the others gather
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, 20, event -> {
            delivered.add(event.eventId());
            all.countDown();
        });
        for (int i = 0; i < 100; i++) {
            dispatcher.enqueueHot(hot("e" + i));
        }
        dispatcher.close();

        assertThat(store.groups()).hasSizeLessThanOrEqualTo(10);
        assertThat(store.count(EventStatus.DONE)).isEqualTo(100);
        assertThat(metrics.success).hasValue(100);
    }

    @Test
    void a_poll_cannot_queue_an_event_again_whose_mark_is_not_durable_yet() {
        CountDownLatch marking = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        store.add("a");
        store.beforeGroup(() -> {
            marking.countDown();
            Await.opened(goOn);
        });
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, 0, event -> delivered.add(event.eventId()));
        dispatcher.enqueueHot(hot("a"));
        Await.opened(marking);
        poller(dispatcher).poll();
        assertThat(store.reads()).isEqualTo(1);
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(metrics.coldEnqueued).hasValue(0);
        assertThat(metrics.success).hasValue(0);
        goOn.countDown();
        dispatcher.close();

        assertThat(delivered).containsExactly("a");
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void close_records_what_was_delivered_without_waiting_for_the_linger() {
        addRows(1_200);
        OutboxDispatcher dispatcher = dispatcher(4, PLENTY_MS, FOR_EVER, event -> delivered.add(event.eventId()));
        for (int i = 0; i < 1_200; i++) {
            enqueue(dispatcher, "e" + i);
        }
        dispatcher.close();

        assertThat(store.count(EventStatus.DONE)).isEqualTo(1_200);
        assertThat(metrics.success).hasValue(1_200);
        assertThat(store.groups()).hasSize(3);
        assertThat(log.at(Level.WARNING)).isEmpty();
    }

    @Test
    void close_waits_a_bounded_time_for_a_database_that_is_away() throws InterruptedException {
        CountDownLatch finished = new CountDownLatch(1);
        store.add("a");
        connections.goAway();
        OutboxDispatcher dispatcher = dispatcher(1, 300, 0, event -> finished.countDown());
        dispatcher.enqueueHot(hot("a"));
        Await.opened(finished);
        dispatcher.close();

        assertThat(tracker.nextReleased()).isEqualTo("a");
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(store.groups()).isEmpty();
        assertThat(metrics.success).hasValue(0);
        assertThat(log.at(Level.WARNING))
                .contains("Outcomes could not be recorded in time; their events will be delivered again");
    }

    @Test
    void a_database_that_comes_back_during_the_close_gets_its_marks() {
        CountDownLatch finished = new CountDownLatch(1);
        store.add("a");
        connections.goAway();
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, 0, event -> finished.countDown());
        dispatcher.enqueueHot(hot("a"));
        Await.opened(finished);
        Thread closer = new Thread(dispatcher::close);
        closer.start();
        Await.waiting(closer);
        connections.comeBack();
        join(closer);

        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(metrics.success).hasValue(1);
    }

    @Test
    void a_close_without_a_limit_waits_for_the_marks_without_a_limit() {
        AtomicBoolean interrupted = new AtomicBoolean();
        store.add("a");
        store.beforeGroup(() -> {
            try {
                // Longer than a close gives to a dispatcher whose time is up.
                assertThat(new CountDownLatch(1).await(600, TimeUnit.MILLISECONDS))
                        .isFalse();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
        });
        OutboxDispatcher dispatcher = dispatcher(1, Long.MAX_VALUE, 0, event -> {});
        dispatcher.enqueueHot(hot("a"));
        dispatcher.close();

        assertThat(interrupted).isFalse();
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(log.at(Level.WARNING)).isEmpty();
    }

    @Test
    void an_interrupted_close_lets_the_completer_end_by_itself() throws Exception {
        CountDownLatch marking = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread[] completer = new Thread[1];
        store.add("a");
        store.beforeGroup(() -> {
            completer[0] = Thread.currentThread();
            marking.countDown();
            awaitUninterrupted(goOn);
        });
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, 0, event -> {});
        dispatcher.enqueueHot(hot("a"));
        Await.opened(marking);
        AtomicBoolean flag = new AtomicBoolean();
        Thread closer = new Thread(() -> {
            dispatcher.close();
            flag.set(Thread.currentThread().isInterrupted());
        });
        closer.start();
        Await.waiting(closer);
        closer.interrupt();
        join(closer);
        goOn.countDown();
        join(completer[0]);

        assertThat(flag).isTrue();
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void without_a_database_no_more_events_are_taken_than_buffer_workers_and_queue_hold() {
        connections.goAway();
        OutboxDispatcher dispatcher = fullDispatcher(PLENTY_MS);

        assertThat(dispatcher.enqueueHot(hot("one too many"))).isFalse();
        assertThat(tracker.isFree("one too many")).isTrue();
        assertThat(tracker.isFree("e0")).isFalse();
        assertThat(metrics.success).hasValue(0);
        connections.comeBack();
        dispatcher.close();

        assertThat(delivered).hasSize(GROUP_SIZE + BUFFER_CAPACITY + 1 + 10).doesNotHaveDuplicates();
        assertThat(metrics.success).hasValue(delivered.size());
        assertThat(log.at(Level.SEVERE)).isEmpty();
    }

    @Test
    void close_releases_a_worker_that_waits_for_room_and_everything_is_free_in_the_end() throws Exception {
        connections.goAway();
        OutboxDispatcher dispatcher = fullDispatcher(0);
        dispatcher.close();
        int taken = GROUP_SIZE + BUFFER_CAPACITY + 1 + 10;
        for (int i = 0; i < taken; i++) {
            tracker.nextReleased();
        }

        assertThat(delivered).hasSize(taken - 10);
        assertThat(store.groups()).isEmpty();
        assertThat(metrics.success).hasValue(0);
        assertThat(log.at(Level.WARNING))
                .contains("Dispatcher did not drain within 0 ms: listeners interrupted, 10 queued event(s) stay"
                        + " pending");
    }

    /** One that has taken as much as it can: a group being written, a full buffer, a worker's event and a queue of ten. */
    private OutboxDispatcher fullDispatcher(long drainTimeoutMs) {
        OutboxDispatcher dispatcher = dispatcher(1, drainTimeoutMs, FOR_EVER, event -> delivered.add(event.eventId()));
        for (int i = 0; i < GROUP_SIZE + BUFFER_CAPACITY + 1 + 10; i++) {
            enqueue(dispatcher, "e" + i);
        }
        return dispatcher;
    }

    @Test
    void a_listener_that_outlives_the_close_has_its_event_freed_and_logged() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        store.add("a");
        OutboxDispatcher dispatcher = dispatcher(1, 0, 0, event -> {
            running.countDown();
            awaitUninterrupted(letGo);
        });
        dispatcher.enqueueHot(hot("a"));
        Await.opened(running);
        dispatcher.close();
        assertThat(tracker.isFree("a")).isFalse();
        letGo.countDown();

        assertThat(tracker.nextReleased()).isEqualTo("a");
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(log.at(Level.WARNING)).anyMatch(line -> line.contains("ended after the dispatcher had been closed"));
    }

    @Test
    void a_bad_event_harms_no_other_of_its_group() throws InterruptedException {
        addRows(20);
        store.refuse("e7");
        OutboxDispatcher dispatcher = dispatcher(1, 0, 20, event -> {});
        for (int i = 0; i < 20; i++) {
            dispatcher.enqueueHot(hot("e" + i));
        }
        for (int i = 0; i < 19; i++) {
            assertThat(tracker.nextReleased()).isNotEqualTo("e7");
        }
        dispatcher.close();
        assertThat(tracker.nextReleased()).isEqualTo("e7");

        assertThat(store.count(EventStatus.DONE)).isEqualTo(19);
        assertThat(store.status("e7")).isEqualTo(EventStatus.NEW);
        assertThat(metrics.success).hasValue(19);
    }

    @Test
    void delete_on_success_leaves_only_what_failed() {
        store.add("good", "bad");
        OutboxDispatcher dispatcher = builder(1, PLENTY_MS, 0, event -> {
                    if (event.eventId().equals("bad")) {
                        throw new IllegalStateException("no");
                    }
                })
                .completionMode(CompletionMode.DELETE)
                .build();
        dispatcher.enqueueHot(hot("good"));
        dispatcher.enqueueHot(hot("bad"));
        dispatcher.close();

        assertThat(store.contains("good")).isFalse();
        assertThat(store.status("bad")).isEqualTo(EventStatus.RETRY);
        assertThat(metrics.success).hasValue(1);
        assertThat(metrics.failure).hasValue(1);
    }

    @Test
    void the_completer_is_a_named_daemon_that_ends_with_the_close() {
        Thread[] completer = new Thread[1];
        store.beforeGroup(() -> completer[0] = Thread.currentThread());
        OutboxDispatcher dispatcher = dispatcher(1, PLENTY_MS, 0, event -> {});
        dispatcher.enqueueHot(hot("a"));
        dispatcher.close();

        assertThat(completer[0].getName()).isEqualTo("outbox-completer-1");
        assertThat(completer[0].isDaemon()).isTrue();
        join(completer[0]);
    }

    private void addRows(int count) {
        for (int i = 0; i < count; i++) {
            store.add(Events.row("e" + i));
        }
    }

    private static void enqueue(OutboxDispatcher dispatcher, String id) {
        while (!dispatcher.enqueueHot(hot(id))) {
            Thread.onSpinWait();
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // as a listener would that does not care
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(thread.isAlive()).isFalse();
    }

    private OutboxPoller poller(OutboxDispatcher dispatcher) {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .build();
    }

    private OutboxDispatcher dispatcher(int workers, long drainTimeoutMs, long lingerMs, EventListener listener) {
        return builder(workers, drainTimeoutMs, lingerMs, listener).build();
    }

    private OutboxDispatcher.Builder builder(int workers, long drainTimeoutMs, long lingerMs, EventListener listener) {
        return OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, listener))
                .inFlightTracker(tracker)
                .metrics(metrics)
                .hotQueueCapacity(lingerMs == FOR_EVER ? 10 : 1_000)
                .drainTimeoutMs(drainTimeoutMs)
                .completionLingerMs(lingerMs)
                .workerCount(workers);
    }
}
