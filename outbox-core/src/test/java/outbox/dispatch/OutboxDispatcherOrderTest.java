package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.internal.lease.TestLeases;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.Events;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingMetrics.Depths;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.KeyedEvents.rowOf;

/** A dispatcher with order, fed by a poller on a table that keeps it. */
@Timeout(30)
class OutboxDispatcherOrderTest {

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final OrderedTable table = new OrderedTable(clock);
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);

    @AfterEach
    void stopCapturing() {
        letGo.countDown();
        log.close();
    }

    @Test
    void order_needs_a_store_that_keeps_it() {
        assertThatThrownBy(() -> builder(new RecordingStore()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ordering PER_AGGREGATE needs a store that keeps order, but"
                        + " outbox.testsupport.RecordingStore does not; override ordered and leases, or use NONE");
        assertThatThrownBy(() -> builder(new LeasingStore(clock)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("outbox.testsupport.LeasingStore does not");
    }

    @Test
    void there_is_an_ordering_and_by_default_it_is_none() {
        assertThatThrownBy(() -> OutboxDispatcher.builder().ordering(null)).hasMessage("ordering");
        try (OutboxDispatcher unordered =
                builder(table).ordering(Ordering.NONE).workerCount(0).build()) {
            assertThat(unordered.flow().isOrdered()).isFalse();
            assertThat(new DispatcherPollerHandler(unordered).link().isOrdered())
                    .isFalse();
        }
    }

    @Test
    void a_handler_of_ordered_events_says_so() {
        try (OutboxDispatcher dispatcher = builder(table).workerCount(0).build()) {
            assertThat(new DispatcherPollerHandler(dispatcher).link().isOrdered())
                    .isTrue();
        }
    }

    @Test
    void a_run_is_delivered_in_order_without_asking_whose_turn_it_is() {
        table.add(rowOf("1", "a"), rowOf("1", "b"), rowOf("1", "c"));
        CountDownLatch all = new CountDownLatch(3);
        try (OutboxDispatcher dispatcher = dispatcher(event -> all.countDown())) {
            poller(dispatcher).poll();
            Await.opened(all);
        }

        assertThat(delivered).containsExactly("a", "b", "c");
        assertThat(table.orderCalls()).allMatch(call -> call.startsWith("order.claim"));
    }

    @Test
    void an_event_claimed_behind_one_that_runs_here_waits_for_it_and_has_its_turn() {
        table.add(rowOf("1", "a"));
        CountDownLatch all = new CountDownLatch(2);
        try (OutboxDispatcher dispatcher = dispatcher(event -> {
            started.countDown();
            Await.opened(letGo);
            all.countDown();
        })) {
            OutboxPoller poller = poller(dispatcher);
            poller.poll();
            Await.opened(started);
            table.add(rowOf("1", "b"));
            poller.poll();
            assertThat(dispatcher.flow().parts().leases().isTurnUnknown("b")).isFalse();
            assertThat(delivered).containsExactly("a");
            letGo.countDown();
            Await.opened(all);
        }

        assertThat(delivered).containsExactly("a", "b");
        assertThat(table.orderCalls()).noneMatch(call -> call.startsWith("order.isFirst"));
    }

    @Test
    void an_event_claimed_behind_one_that_has_ended_since_the_poll_began_has_its_turn() {
        try (OutboxDispatcher dispatcher = builder(table).workerCount(0).build()) {
            dispatcher.flow().parts().leases().begin(TestLeases.NODE, TestLeases.TIMEOUT);
            PollPass poll = dispatcher.flow().beginPoll();
            poll.finished("a");
            poll.claimed(KeyedEvents.coldOf("1", "b"), List.of("a"), null);
            poll.claimed(KeyedEvents.coldOf("2", "d"), List.of("c"), null);

            assertThat(dispatcher.flow().parts().leases().isTurnUnknown("b")).isFalse();
            assertThat(dispatcher.flow().parts().leases().isTurnUnknown("d")).isTrue();
        }
    }

    @Test
    void a_claimed_event_that_is_refused_is_not_held() {
        List<String> seen = new ArrayList<>();
        OutboxDispatcher dispatcher = builder(table).workerCount(0).build();
        dispatcher.flow().parts().leases().begin(TestLeases.NODE, TestLeases.TIMEOUT);
        PollPass poll = dispatcher.flow().beginPoll();
        dispatcher.close();

        assertThat(poll.claimed(KeyedEvents.coldOf("1", "b"), List.of("a"), null))
                .isFalse();
        assertThat(dispatcher.flow().parts().leases().isHeld("b")).isFalse();
        dispatcher.flow().intake().unlessOnItsWay("b", seen::add);
        assertThat(seen).containsExactly("b");
    }

    @Test
    void those_that_wait_count_as_depth_and_leave_room_for_other_keys() {
        table.add(rowOf("1", "a"), rowOf("1", "b"), rowOf("1", "c"));
        try (OutboxDispatcher dispatcher =
                builder(table).workerCount(0).coldQueueCapacity(5).build()) {
            poller(dispatcher).poll();

            assertThat(metrics.lastDepths()).isEqualTo(new Depths(0, 3));
            assertThat(dispatcher.coldQueueRemainingCapacity()).isEqualTo(4);
        }
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(0, 0));
    }

    @Test
    void a_dispatcher_without_workers_gives_everything_back_when_it_is_closed() {
        table.add(rowOf("1", "a"), rowOf("1", "b"));
        OutboxDispatcher dispatcher = builder(table).workerCount(0).build();
        poller(dispatcher).poll();
        assertThat(table.lockedBy("b")).isEqualTo(TestLeases.NODE);
        dispatcher.close();

        assertThat(table.lockedBy("a")).isNull();
        assertThat(table.lockedBy("b")).isNull();
        assertNothingIsHeld(dispatcher);
    }

    @Test
    void a_dispatcher_that_is_closed_gives_back_what_waits_behind_a_running_event() throws Exception {
        table.add(rowOf("1", "a"), rowOf("1", "b"), rowOf("1", "c"));
        OutboxDispatcher dispatcher = dispatcher(event -> {
            started.countDown();
            Await.opened(letGo);
        });
        poller(dispatcher).poll();
        Await.opened(started);
        Thread closing = new Thread(dispatcher::close);
        closing.start();
        Await.waiting(closing);
        assertThat(dispatcher.coldQueueRemainingCapacity()).isZero();
        letGo.countDown();
        closing.join();

        assertThat(delivered).containsExactly("a");
        assertThat(table.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(table.status("b")).isEqualTo(EventStatus.NEW);
        assertThat(table.lockedBy("b")).isNull();
        assertThat(table.lockedBy("c")).isNull();
        assertNothingIsHeld(dispatcher);
    }

    private static void assertNothingIsHeld(OutboxDispatcher dispatcher) {
        assertThat(dispatcher.flow().parts().leases().heldCount()).isZero();
    }

    private OutboxPoller poller(OutboxDispatcher dispatcher) {
        return OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(table)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(TestLeases.NODE, TestLeases.TIMEOUT)
                .clock(clock)
                .build();
    }

    private OutboxDispatcher dispatcher(EventListener listener) {
        return builder(table)
                .listenerRegistry(new DefaultListenerRegistry()
                        .register(KeyedEvents.AGGREGATE_TYPE, Events.TYPE, (EventEnvelope event) -> {
                            delivered.add(event.eventId());
                            listener.onEvent(event);
                        }))
                .build();
    }

    private OutboxDispatcher.Builder builder(OutboxStore store) {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry())
                .ordering(Ordering.PER_AGGREGATE)
                .metrics(metrics)
                .clock(clock);
    }
}
