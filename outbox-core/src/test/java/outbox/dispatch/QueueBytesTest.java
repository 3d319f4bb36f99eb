package outbox.dispatch;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.lease.TestLeases;
import outbox.internal.queue.FairQueue;
import outbox.internal.text.EventNames;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedStore;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** No more events are read, written as ours and queued than their bytes allow, and an empty queue always takes one. */
@Timeout(20)
class QueueBytesTest {

    private static final int PAYLOAD = 10_000;
    /** What an event of that payload takes. */
    private static final long SIZE = large("measured").sizeInMemory();

    private final CapturedLog log = new CapturedLog();
    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final CountDownLatch go = new CountDownLatch(1);

    @AfterEach
    void stopCapturing() {
        go.countDown();
        log.close();
    }

    private static EventEnvelope large(String id) {
        return sized(id, PAYLOAD);
    }

    private static EventEnvelope sized(String id, int payload) {
        return EventEnvelope.builder("Large")
                .eventId(id)
                .payloadJson("\"" + "x".repeat(payload - 2) + "\"")
                .build();
    }

    private static EventEnvelope keyed(String id) {
        return EventEnvelope.builder("Large")
                .eventId(id)
                .aggregateType("Order")
                .aggregateId("7")
                .payloadJson("\"" + "x".repeat(PAYLOAD - 2) + "\"")
                .build();
    }

    /** One whose queues hold that many large events each. */
    private OutboxDispatcher dispatcher(int events, int workers) {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().registerDefault(event -> Await.opened(go)))
                .workerCount(workers)
                .queueBytes(2L * events * SIZE)
                .metrics(metrics)
                .build();
    }

    private static QueuedEvent cold(EventEnvelope event) {
        return new QueuedEvent(event, Source.COLD, 0);
    }

    @Test
    void each_queue_takes_as_many_as_its_half_of_the_bytes_allows() {
        try (OutboxDispatcher dispatcher = dispatcher(3, 0)) {
            for (String id : List.of("1", "2", "3")) {
                assertThat(dispatcher.enqueueCold(cold(large("c" + id)))).isTrue();
                assertThat(dispatcher.enqueueHot(new QueuedEvent(large("h" + id), Source.HOT, 0)))
                        .isTrue();
            }
            assertThat(dispatcher.enqueueCold(cold(large("c4")))).isFalse();
            assertThat(dispatcher.enqueueHot(new QueuedEvent(large("h4"), Source.HOT, 0)))
                    .isFalse();
            assertThat(dispatcher.coldQueueRemainingCapacity()).isEqualTo(997);
        }
    }

    @Test
    void an_event_that_is_larger_than_everything_is_taken_by_an_empty_queue() {
        try (OutboxDispatcher dispatcher = dispatcher(3, 0)) {
            assertThat(dispatcher.enqueueCold(cold(sized("huge", 10 * PAYLOAD))))
                    .isTrue();
            assertThat(dispatcher.enqueueCold(cold(sized("tiny", 2)))).isFalse();
        }
    }

    @Test
    void before_anything_is_known_rows_of_the_largest_size_are_reckoned_with_but_one_is_always_read() {
        try (OutboxDispatcher small = dispatcher(3, 0);
                OutboxDispatcher ordinary = OutboxDispatcher.builder()
                        .connectionProvider(StubConnections.autoCommitting())
                        .outboxStore(store)
                        .listenerRegistry(new DefaultListenerRegistry())
                        .workerCount(0)
                        .queueBytes(128 << 20)
                        .build()) {
            assertThat(new DispatcherPollerHandler(small).availableCapacity()).isEqualTo(1);
            assertThat(new DispatcherPollerHandler(ordinary).availableCapacity())
                    .isEqualTo(64);
        }
    }

    @Test
    void a_poll_that_found_large_rows_makes_the_next_one_ask_for_as_many_as_fit() {
        try (OutboxDispatcher dispatcher = dispatcher(1_000, 0)) {
            DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
            handler.link().pollStarting();
            assertThat(handler.handle(sized("huge", 100 * PAYLOAD), 0)).isTrue();
            handler.link().pollFinished();
            int after = handler.availableCapacity();
            assertThat(after).isBetween(8, 9);
            for (int poll = 0; poll < 60; poll++) {
                handler.link().pollStarting();
                assertThat(handler.handle(sized("small-" + poll, 2), 0)).isTrue();
                handler.link().pollFinished();
            }

            assertThat(handler.availableCapacity()).as("forgotten by and by").isGreaterThan(500);
        }
    }

    @Test
    void a_full_queue_asks_for_the_next_poll_when_bytes_become_free() {
        try (OutboxDispatcher dispatcher = dispatcher(4, 1)) {
            DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
            handler.link().connect(trigger);
            dispatcher.flow().parts().queues().rowsWereUpTo(SIZE);
            for (int poll = 0; poll < 60; poll++) {
                dispatcher.flow().parts().queues().rowsWereUpTo(SIZE);
            }
            int queued = 0;
            while (dispatcher.enqueueCold(cold(large("c" + queued)))) {
                queued++;
            }
            handler.link().pollWhenRoomFor(50);
            assertThat(trigger.requests).isEmpty();
            go.countDown();
            while (trigger.requests.isEmpty()) {
                Thread.onSpinWait();
            }

            assertThat(trigger.requests).containsExactly("now");
            assertThat(handler.availableCapacity()).isPositive();
        }
    }

    @Test
    void what_does_not_fit_into_the_hot_queue_is_born_free() {
        try (OutboxDispatcher dispatcher = dispatcher(2, 0)) {
            dispatcher.claimsAs(TestLeases.NODE, TestLeases.TIMEOUT);
            DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
            List<EventEnvelope> batch = List.of(large("a"), large("b"), large("c"));
            hook.insert(store, null, batch);
            hook.afterWrite(batch);
            hook.insert(store, null, List.of(large("d")));

            assertThat(store.lockedBy("a")).isEqualTo(TestLeases.NODE);
            assertThat(store.lockedBy("b")).isEqualTo(TestLeases.NODE);
            assertThat(store.lockedBy("c")).isNull();
            assertThat(store.lockedBy("d"))
                    .as("those that are being written have their place")
                    .isNull();
            hook.afterRollback(batch);
            hook.insert(store, null, List.of(large("e")));
            assertThat(store.lockedBy("e")).isEqualTo(TestLeases.NODE);
        }
    }

    @Test
    void what_waits_in_a_lane_counts_as_well_until_it_is_given_back() {
        EventQueues keys = queues(2 * SIZE + SIZE / 2, new OrderedTable(clock).ordered());
        assertThat(keys.offer(cold(keyed("a")), EventQueues.Before.NOTHING)).isTrue();
        assertThat(keys.offer(cold(keyed("b")), EventQueues.Before.NOTHING)).isTrue();
        assertThat(keys.offer(cold(keyed("c")), EventQueues.Before.NOTHING)).isFalse();
        assertThat(keys.bytesLeft(Source.COLD)).isLessThan(SIZE);
        keys.broke(cold(keyed("a")));
        keys.queue().drain();

        assertThat(keys.bytesLeft(Source.COLD)).isEqualTo(2 * SIZE + SIZE / 2);
    }

    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");

    private EventQueues queues(long bytesEach, OrderedStore order) {
        FlowSettings settings = new FlowSettings(
                10,
                10,
                bytesEach,
                new DefaultInFlightTracker(),
                order,
                StubConnections.autoCommitting(),
                MetricsExporter.NOOP,
                clock,
                EventNames.PLAIN,
                Flows.NO_LISTENERS);
        return Flows.of(settings, TestLeases.off(), () -> true).parts().queues();
    }

    @Test
    void the_bytes_of_an_event_are_free_when_it_was_taken_and_counted_again_when_it_resumes() throws Exception {
        FairQueue<QueuedEvent> queue = queues(2 * SIZE, null).queue();
        QueuedEvent event = cold(large("a"));
        queue.offer(event);
        assertThat(queue.cold().bytesLeft()).isEqualTo(SIZE);
        assertThat(queue.hot().bytesLeft()).isEqualTo(2 * SIZE);
        queue.take();
        assertThat(queue.cold().bytesLeft()).isEqualTo(2 * SIZE);
        queue.resume(event);
        queue.resume(event);
        queue.resume(event);

        assertThat(queue.cold().bytesLeft()).isEqualTo(-SIZE);
    }

    @Test
    void the_size_of_the_queues_is_checked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxDispatcher.builder().queueBytes(0))
                .withMessage("queueBytes must be >= 1, was 0");
    }
}
