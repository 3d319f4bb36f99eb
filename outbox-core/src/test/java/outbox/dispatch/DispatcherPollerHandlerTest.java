package outbox.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingMetrics.Depths;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.hot;
import static outbox.testsupport.Events.row;

@Timeout(30)
class DispatcherPollerHandlerTest {

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final SignallingTracker tracker = new SignallingTracker();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch finish = new CountDownLatch(1);

    @AfterEach
    void stopCapturing() {
        finish.countDown();
        log.close();
    }

    @Test
    void events_enter_the_cold_queue_until_it_is_full() {
        OutboxDispatcher dispatcher = dispatcher(0, 2, event -> {});
        DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);

        assertThat(handler.availableCapacity()).isEqualTo(2);
        assertThat(handler.handle(event("a"), 0)).isTrue();
        assertThat(handler.availableCapacity()).isEqualTo(1);
        assertThat(handler.handle(event("b"), 3)).isTrue();
        assertThat(handler.handle(event("c"), 0)).isFalse();
        assertThat(handler.availableCapacity()).isZero();
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(0, 2));
        assertThat(metrics.coldEnqueued).hasValue(2);
    }

    @Test
    void a_poller_with_an_exporter_of_its_own_counts_there_what_was_queued_and_nothing_twice() {
        RecordingMetrics own = new RecordingMetrics();
        store.add("a", "b");
        OutboxDispatcher dispatcher = dispatcher(0, 10, event -> {});
        OutboxPoller poller = poller(dispatcher, own);
        poller.poll();
        poller.poll(); // finds both again, which are on their way

        assertThat(own.coldEnqueued).hasValue(2);
        assertThat(metrics.coldEnqueued).hasValue(2);
    }

    @Test
    void a_poller_with_the_dispatchers_exporter_counts_nothing_twice() {
        store.add("a", "b");
        poller(dispatcher(0, 10, event -> {}), metrics).poll();

        assertThat(metrics.coldEnqueued).hasValue(2);
    }

    @Test
    void what_a_full_queue_refused_is_not_counted() {
        RecordingMetrics own = new RecordingMetrics();
        OutboxDispatcher dispatcher = dispatcher(0, 1, event -> {});
        DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
        assertThat(handler.link().countsEnqueued(own)).isTrue();
        handler.link().pollStarting();
        handler.handle(event("a"), 0);
        handler.handle(event("b"), 0);
        handler.link().pollFinished();

        assertThat(own.coldEnqueued).hasValue(1);
    }

    @Test
    void an_event_that_cannot_be_read_holds_its_key_if_its_listener_says_so() {
        DispatcherPollerHandler holding =
                new DispatcherPollerHandler(dispatcher(0, 1, EventListener.holdingKeyAfterDead(event -> {})));
        DispatcherPollerHandler going = new DispatcherPollerHandler(dispatcher(0, 1, event -> {}));

        assertThat(holding.link().holdsKeyWhenDead(row("a"))).isTrue();
        assertThat(going.link().holdsKeyWhenDead(row("a"))).isFalse();
    }

    private OutboxPoller poller(OutboxDispatcher dispatcher, RecordingMetrics exporter) {
        return OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .metrics(exporter)
                .build();
    }

    @Test
    void attempts_travel_with_the_event() {
        OutboxDispatcher dispatcher = builder(1, 10, event -> {
                    throw new IllegalStateException("no");
                })
                .maxAttempts(3)
                .build();
        store.add("a", "b");
        DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
        handler.handle(event("a"), 1);
        handler.handle(event("b"), 2);
        dispatcher.close();

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.status("b")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void a_closed_dispatcher_has_no_room() {
        OutboxDispatcher dispatcher = dispatcher(1, 10, event -> {});
        dispatcher.close();
        DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);

        assertThat(handler.availableCapacity()).isZero();
        assertThat(handler.handle(event("a"), 0)).isFalse();
    }

    @Test
    void a_row_read_before_its_event_ended_is_not_delivered_again() throws InterruptedException {
        store.add("a");
        OutboxDispatcher dispatcher = dispatcher(1, 10, this::deliverSlowly);
        OutboxPoller poller = poller(dispatcher);
        dispatcher.enqueueHot(hot("a"));
        Await.opened(running);
        // The poll reads the row while the event runs; the event is done and released before the row is handed over.
        store.afterRead(this::finishAndAwaitRelease);
        poller.poll();
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        dispatcher.close();

        assertThat(delivered).containsExactly("a");
        assertThat(metrics.coldEnqueued).hasValue(0);
    }

    @Test
    void an_event_that_ended_in_one_poll_may_come_with_the_next() throws InterruptedException {
        OutboxDispatcher dispatcher = dispatcher(1, 10, this::deliverSlowly);
        OutboxPoller poller = poller(dispatcher);
        dispatcher.enqueueHot(hot("a"));
        Await.opened(running);
        store.add("a");
        store.afterRead(this::finishAndAwaitRelease);
        poller.poll();
        store.afterRead(() -> {});
        store.add("a"); // replayed: pending once more
        poller.poll();
        dispatcher.close();

        assertThat(delivered).containsExactly("a", "a");
        assertThat(metrics.coldEnqueued).hasValue(1);
    }

    @Test
    void two_pollers_have_windows_of_their_own() throws InterruptedException {
        OutboxDispatcher dispatcher = dispatcher(1, 10, event -> delivered.add(event.eventId()));
        DispatcherPollerHandler first = new DispatcherPollerHandler(dispatcher);
        DispatcherPollerHandler second = new DispatcherPollerHandler(dispatcher);
        first.link().pollStarting();
        dispatcher.enqueueHot(hot("a"));
        assertThat(tracker.nextReleased()).isEqualTo("a");
        second.link().pollStarting();

        assertThat(first.handle(event("a"), 0)).isTrue();
        first.link().pollFinished();
        assertThat(second.handle(event("a"), 0)).isTrue();
        second.link().pollFinished();
        dispatcher.close();
        assertThat(delivered).containsExactly("a", "a");
    }

    @Test
    void a_poll_that_starts_anew_forgets_the_one_before() throws InterruptedException {
        OutboxDispatcher dispatcher = dispatcher(1, 10, event -> delivered.add(event.eventId()));
        DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
        handler.link().pollStarting();
        dispatcher.enqueueHot(hot("a"));
        assertThat(tracker.nextReleased()).isEqualTo("a");
        handler.link().pollStarting();
        assertThat(handler.handle(event("a"), 0)).isTrue();
        handler.link().pollFinished();
        handler.link().pollFinished();
        dispatcher.close();

        assertThat(delivered).containsExactly("a", "a");
    }

    @Test
    void polls_that_ended_leave_nothing_behind() {
        OutboxDispatcher dispatcher = dispatcher(0, 10, event -> {});
        DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
        handler.link().pollFinished();
        handler.link().pollStarting();
        handler.link().pollStarting();
        assertThat(dispatcher.flow().intake().openPolls()).isEqualTo(1);
        handler.link().pollFinished();

        assertThat(dispatcher.flow().intake().openPolls()).isZero();
    }

    @Test
    void a_dispatcher_is_required() {
        assertThatNullPointerException().isThrownBy(() -> new DispatcherPollerHandler(null));
    }

    private void deliverSlowly(EventEnvelope event) {
        delivered.add(event.eventId());
        running.countDown();
        Await.opened(finish);
    }

    private void finishAndAwaitRelease() {
        finish.countDown();
        try {
            assertThat(tracker.nextReleased()).isEqualTo("a");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private OutboxPoller poller(OutboxDispatcher dispatcher) {
        return OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .build();
    }

    private OutboxDispatcher dispatcher(int workers, int coldCapacity, EventListener listener) {
        return builder(workers, coldCapacity, listener).build();
    }

    private OutboxDispatcher.Builder builder(int workers, int coldCapacity, EventListener listener) {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, listener))
                .inFlightTracker(tracker)
                .coldQueueCapacity(coldCapacity)
                .metrics(metrics)
                .drainTimeoutMs(20_000)
                .workerCount(workers);
    }
}
