package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventRoute;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.Events;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.row;
import static outbox.testsupport.KeyedEvents.keyed;

/**
 * Events that nobody here listens to, with {@link Unroutable#WAIT}. The stores of these tests know nothing of leaving kinds of events out, as
 * one that somebody else has written.
 */
class UnroutableWaitTest {

    private static final EventRoute UNKNOWN = new EventRoute("__GLOBAL__", "Unknown");
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:10Z");
    private final ManualNanos nanos = new ManualNanos();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private OutboxDispatcher dispatcher;
    private OutboxPoller poller;

    @AfterEach
    void close() {
        if (poller != null) {
            poller.close();
        }
        dispatcher.close();
        log.close();
    }

    private void start(OutboxStore store, Ordering ordering, int workers, Duration lease) {
        dispatcher = OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(registry)
                .unroutable(Unroutable.WAIT)
                .ordering(ordering)
                .workerCount(workers)
                .completionLingerMs(0)
                .metrics(metrics)
                .clock(clock)
                .nanoTime(nanos)
                .build();
        OutboxPoller.Builder settings = OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .clock(clock);
        poller = (lease == null ? settings : settings.claimLocking("node-1", lease)).build();
    }

    private static OutboxEvent unknown(String id) {
        return new OutboxEvent(id, "Unknown", null, null, null, "{}", null, 0, Events.CREATED_AT);
    }

    private static EventEnvelope unknownOf(String id, String key) {
        return EventEnvelope.builder("Unknown")
                .eventId(id)
                .aggregateType("Order")
                .aggregateId(key)
                .payloadJson("{}")
                .build();
    }

    private void write(OutboxStore store, EventEnvelope... events) {
        DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
        hook.insert(store, null, List.of(events));
        hook.afterWrite(List.of(events));
        hook.afterCommit(List.of(events));
    }

    private long warnings() {
        return log.at(Level.WARNING).stream()
                .filter(line -> line.contains("\"Unknown\""))
                .count();
    }

    @Test
    void without_leases_they_are_neither_queued_nor_marked_nor_told_again_and_again() {
        RecordingStore store = new RecordingStore().add(unknown("a"), row("b"), unknown("c"));
        registry.register(TYPE, event -> {});
        start(store, Ordering.NONE, 0, null);
        IntStream.range(0, 100).forEach(i -> poller.poll());

        assertThat(metrics.coldEnqueued).hasValue(1);
        assertThat(store.calls()).hasSize(100).allMatch(call -> call.startsWith("pollPending"));
        assertThat(warnings()).isEqualTo(1);
        assertThat(metrics.waitingRoutes).containsExactly(1);
        assertThat(dispatcher.waitingRoutes()).containsExactly(UNKNOWN);
        assertThat(dispatcher.health().healthy()).isTrue();
    }

    @Test
    void a_store_that_cannot_leave_them_out_puts_them_off_without_an_attempt_and_the_others_come() {
        LeasingStore store = new LeasingStore(clock);
        store.add(unknown("a"), unknown("b"), row("c"));
        registry.register(TYPE, event -> {});
        start(store, Ordering.NONE, 0, LEASE);

        poller.poll();
        assertThat(store.leaseCalls()).containsExactly(claim(), "lease.release node-1 [a, b]");
        poller.poll();
        assertThat(store.leaseCalls()).endsWith(claim(), "lease.markRetry node-1 [a, b]");
        IntStream.range(0, 50).forEach(i -> poller.poll());

        assertThat(store.leaseCalls()).filteredOn(call -> !call.equals(claim())).hasSize(2);
        assertThat(store.attempts("a")).isZero();
        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plusSeconds(5));
        assertThat(store.error("a")).contains("No listener");
        assertThat(metrics.coldEnqueued).hasValue(1);
        assertThat(metrics.dead).hasValue(0);
        assertThat(warnings()).isEqualTo(1);
    }

    private static String claim() {
        return "lease.claim node-1 timeout=PT5M skipRecent=PT0S limit=50";
    }

    @Test
    void a_suspect_that_nobody_here_knows_stays_a_suspect() {
        LeasingStore store = new LeasingStore(clock);
        store.add(unknown("a"));
        store.takeOver("a", "dead-node");
        clock.advance(LEASE.plusSeconds(1));
        start(store, Ordering.NONE, 0, LEASE);
        IntStream.range(0, 3).forEach(i -> poller.poll());

        assertThat(store.leaseCalls()).noneMatch(call -> call.startsWith("lease.mark") || call.contains("writeDown"));
        assertThat(store.error("a")).startsWith("(suspect 00)");
        assertThat(store.attempts("a")).isZero();
        assertThat(store.lockedBy("a")).isNull();
    }

    @Test
    void a_worker_that_gets_one_lets_it_go_and_the_next_poll_frees_it() throws Exception {
        LeasingStore store = new LeasingStore(clock);
        store.add(unknown("a"));
        CountDownLatch asked = new CountDownLatch(1);
        start(store, Ordering.NONE, 1, LEASE);
        dispatcher.flow().connect(new outbox.poller.PollTrigger() {
            @Override
            public void pollNow() {}

            @Override
            public void pollAt(java.time.Instant due) {
                asked.countDown();
            }
        });
        dispatcher.flow().parts().leases().claimed("a", null, nanos.getAsLong(), true);
        store.takeOver("a", "node-1");
        dispatcher.enqueueCold(new QueuedEvent(
                EventEnvelope.builder("Unknown").eventId("a").payloadJson("{}").build(), QueuedEvent.Source.COLD, 0));

        Await.opened(asked);
        poller.poll();
        assertThat(store.leaseCalls()).startsWith("lease.release node-1 [a]");
        assertThat(store.lockedBy("a")).isNull();
        assertThat(store.attempts("a")).isZero();
        assertThat(metrics.dead).hasValue(0);
        assertThat(metrics.failure).hasValue(0);
    }

    @Test
    void one_that_is_written_here_is_free_at_once_and_no_poll_is_asked_for() {
        LeasingStore store = new LeasingStore(clock);
        registry.register(TYPE, event -> {});
        start(store, Ordering.NONE, 0, LEASE);
        RecordingTrigger trigger = new RecordingTrigger();
        dispatcher.flow().connect(trigger);
        write(
                store,
                EventEnvelope.builder("Unknown").eventId("a").payloadJson("{}").build(),
                event("b"));

        assertThat(store.lockedBy("a")).isNull();
        assertThat(store.lockedBy("b")).isEqualTo("node-1");
        assertThat(metrics.hotEnqueued).hasValue(1);
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(trigger.requests).isEmpty();
        assertThat(warnings()).isEqualTo(1);
        assertThat(dispatcher.flow().parts().intake().announcedCount()).isZero();
    }

    @Test
    void in_order_what_follows_one_is_free_as_well_until_its_key_goes_on() {
        OrderedTable table = new OrderedTable(clock);
        registry.register("Order", TYPE, event -> {});
        start(table, Ordering.PER_AGGREGATE, 0, LEASE);

        write(table, unknownOf("a", "1"));
        write(table, keyed("b", "1"));
        write(table, keyed("c", "2"));
        assertThat(table.lockedBy("a")).isNull();
        assertThat(table.lockedBy("b")).isNull();
        assertThat(table.lockedBy("c")).isEqualTo("node-1");
        assertThat(table.orderCalls()).containsExactly("order.insert node-1 [c]");

        // Another process delivers it, and the follower comes here.
        table.markDone(null, "a");
        poller.poll();
        assertThat(table.lockedBy("b")).isEqualTo("node-1");
        write(table, keyed("d", "1"));
        assertThat(table.lockedBy("d")).as("hot again").isEqualTo("node-1");
    }

    @Test
    void in_order_nothing_behind_one_is_taken_before_it() {
        OrderedTable table = new OrderedTable(clock);
        registry.register("Order", TYPE, event -> {});
        start(table, Ordering.PER_AGGREGATE, 0, LEASE);
        table.insertBatch(null, List.of(keyed("a", "1"), unknownOf("b", "1"), keyed("c", "1"), keyed("d", "2")));
        poller.poll();

        assertThat(table.lockedBy("a")).isEqualTo("node-1");
        assertThat(table.lockedBy("b")).isNull();
        assertThat(table.lockedBy("c")).isNull();
        assertThat(table.lockedBy("d")).isEqualTo("node-1");
        assertThat(metrics.coldEnqueued).hasValue(2);
    }

    @Test
    void a_listener_that_comes_later_is_found_by_the_next_poll() {
        RecordingStore store = new RecordingStore().add(unknown("a"));
        start(store, Ordering.NONE, 0, null);
        poller.poll();
        registry.register("Unknown", event -> {});
        poller.poll();

        assertThat(metrics.coldEnqueued).hasValue(1);
        assertThat(metrics.waitingRoutes).containsExactly(1, 0);
        assertThat(dispatcher.waitingRoutes()).isEqualTo(Set.of());
        assertThat(log.at(Level.INFO)).anyMatch(line -> line.contains("There is a listener now"));
    }

    @Test
    void a_registry_that_fails_lets_nothing_wait() {
        RecordingStore store = new RecordingStore().add(unknown("a"));
        dispatcher = OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry((aggregateType, eventType) -> {
                    throw new IllegalStateException("no registry");
                })
                .unroutable(Unroutable.WAIT)
                .workerCount(0)
                .build();

        assertThat(dispatcher.listeners().waits(event("a"))).isFalse();
        assertThat(dispatcher.waitingRoutes()).isEmpty();
    }
}
