package outbox.dispatch;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.hot;

/** When the dispatcher asks its poller for a poll. The listener waits for a permit per event. */
@Timeout(30)
class DispatcherWakeUpTest {

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final SignallingTracker tracker = new SignallingTracker();
    private final RecordingStore store = new RecordingStore();
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final BlockingQueue<String> started = new LinkedBlockingQueue<>();
    private final Semaphore permits = new Semaphore(0);
    private OutboxDispatcher dispatcher;
    private DispatcherPollerHandler handler;

    @AfterEach
    void stop() {
        permits.release(1_000);
        dispatcher.close();
        log.close();
    }

    @Test
    void a_hot_event_that_was_refused_asks_for_a_poll() {
        start(0, 10);
        assertThat(dispatcher.enqueueHot(hot("a"))).isTrue();
        assertThat(dispatcher.enqueueHot(hot("a"))).isTrue();
        assertThat(trigger.requests).isEmpty();
        assertThat(dispatcher.enqueueHot(hot("b"))).isFalse();

        assertThat(trigger.requests).containsExactly("2026-01-01T00:00:00Z");
    }

    @Test
    void a_cold_event_that_was_refused_asks_for_nothing() {
        start(0, 1);
        assertThat(handler.handle(event("a"), 0)).isTrue();
        assertThat(handler.handle(event("b"), 0)).isFalse();

        assertThat(trigger.requests).isEmpty();
    }

    @Test
    void a_retry_asks_for_a_poll_at_its_time() throws Exception {
        start(1, 10);
        handler.handle(event("fails"), 0);
        assertThat(nextStarted()).isEqualTo("fails");
        permits.release();
        assertThat(tracker.nextReleased()).isEqualTo("fails");
        dispatcher.close();

        assertThat(trigger.requests).containsExactly("2026-01-01T00:00:07Z");
    }

    @Test
    void a_poller_without_room_is_asked_when_half_of_the_queue_is_free() throws Exception {
        start(1, 4);
        dispatcher.enqueueHot(hot("h"));
        assertThat(nextStarted()).isEqualTo("h");
        for (String id : List.of("a", "b", "c", "d")) {
            assertThat(handler.handle(event(id), 0)).isTrue();
        }
        assertThat(handler.availableCapacity()).isZero();
        handler.link().pollWhenRoomFor(100);
        permits.release();
        assertThat(nextStarted()).isEqualTo("a");
        assertThat(trigger.requests).isEmpty();
        permits.release();
        assertThat(nextStarted()).isEqualTo("b");
        assertThat(trigger.requests).containsExactly("now");
        permits.release();
        assertThat(nextStarted()).isEqualTo("c");

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void a_poller_with_room_goes_on_at_once() {
        start(0, 4);
        handler.handle(event("a"), 0);
        handler.link().pollWhenRoomFor(100);

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void a_dispatcher_that_is_closing_has_no_room_to_ask_for() {
        start(0, 4);
        dispatcher.close();
        handler.link().pollWhenRoomFor(1);

        assertThat(trigger.requests).isEmpty();
    }

    @Test
    void a_poll_without_locks_goes_on_when_the_marks_of_what_it_took_are_durable() throws Exception {
        CountDownLatch lastMark = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        start(1, 10);
        handler.link().pollStarting();
        handler.handle(event("a"), 0);
        handler.handle(event("b"), 0);
        handler.link().pollWhenEnded();
        handler.link().pollFinished();
        permits.release();
        assertThat(tracker.nextReleased()).isEqualTo("a");
        store.beforeGroup(() -> {
            lastMark.countDown();
            Await.opened(goOn);
        });
        permits.release();
        Await.opened(lastMark);
        assertThat(trigger.requests).isEmpty();
        goOn.countDown();
        assertThat(tracker.nextReleased()).isEqualTo("b");
        dispatcher.close();

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void a_poll_without_locks_that_found_nothing_new_does_not_go_round_in_circles() throws Exception {
        start(1, 10);
        dispatcher.enqueueHot(hot("a"));
        assertThat(nextStarted()).isEqualTo("a");
        handler.link().pollStarting();
        assertThat(handler.handle(event("a"), 0)).isTrue();
        handler.link().pollWhenEnded();
        handler.link().pollFinished();
        permits.release();
        assertThat(tracker.nextReleased()).isEqualTo("a");
        dispatcher.close();

        assertThat(trigger.requests).isEmpty();
    }

    @Test
    void a_poll_that_finds_what_an_earlier_one_took_does_not_withdraw_its_wish() throws Exception {
        start(1, 10);
        handler.link().pollStarting();
        handler.handle(event("a"), 0);
        handler.link().pollWhenEnded();
        handler.link().pollFinished();
        assertThat(nextStarted()).isEqualTo("a");
        handler.link().pollStarting();
        assertThat(handler.handle(event("a"), 0)).isTrue();
        handler.link().pollWhenEnded();
        handler.link().pollFinished();
        assertThat(trigger.requests).isEmpty();
        permits.release();
        assertThat(tracker.nextReleased()).isEqualTo("a");
        dispatcher.close();

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void events_that_a_full_queue_refused_or_a_close_discarded_are_not_waited_for() {
        start(0, 1);
        handler.link().pollStarting();
        assertThat(handler.handle(event("a"), 0)).isTrue();
        assertThat(handler.handle(event("b"), 0)).isFalse();
        handler.link().pollWhenEnded();
        handler.link().pollFinished();
        assertThat(trigger.requests).isEmpty();
        dispatcher.close();

        assertThat(trigger.requests).containsExactly("now");
    }

    private String nextStarted() throws InterruptedException {
        return started.poll(10, TimeUnit.SECONDS);
    }

    private void start(int workers, int coldCapacity) {
        dispatcher = OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, this::listen))
                .inFlightTracker(tracker)
                .retryPolicy(attempts -> 7_000)
                .hotQueueCapacity(1)
                .coldQueueCapacity(coldCapacity)
                .completionLingerMs(0)
                .drainTimeoutMs(20_000)
                .workerCount(workers)
                .clock(clock)
                .build();
        handler = new DispatcherPollerHandler(dispatcher);
        handler.link().connect(trigger);
    }

    private void listen(EventEnvelope event) {
        started.add(event.eventId());
        permits.acquireUninterruptibly();
        if (event.eventId().equals("fails")) {
            throw new IllegalStateException("no");
        }
    }
}
