package outbox.dispatch;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.Placed;
import outbox.spi.OrderedStore.Standing;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.lease.TestLeases.NODE;
import static outbox.internal.lease.TestLeases.TIMEOUT;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.KeyedEvents.keyed;

/** Events that are written once or are due later, on their way to the hot queue or past it. */
class DispatcherWriterHookOnceTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final ManualClock clock = new ManualClock(NOW.toString());
    private final Table table = new Table();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final List<OutboxDispatcher> open = new ArrayList<>();

    /** A table in which the id "there" is there, and that tells what it was asked. */
    private static final class Table extends RecordingStore {

        private final List<String> asked = new ArrayList<>();

        @Override
        public List<WriteReceipt> insertOnce(Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
            asked.add("once " + ids(events));
            return receipts(events);
        }

        @Override
        public LeaseStore leases() {
            return (LeaseStore) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, args) -> {
                        if (method.getName().equals("insertLeased")) {
                            asked.add("leased " + ids((List<?>) args[1]));
                            return null;
                        }
                        asked.add(method.getName() + " " + ids((List<?>) args[1]) + " leased "
                                + new TreeSet<Object>((Set<?>) args[4]));
                        return receipts((List<?>) args[1]);
                    });
        }

        @Override
        public OrderedStore ordered() {
            return (OrderedStore) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {OrderedStore.class}, (proxy, method, args) -> {
                        asked.add("ordered " + method.getName() + " " + ids((List<?>) args[1]));
                        return receipts((List<?>) args[1]).stream()
                                .map(receipt ->
                                        new Placed(receipt, receipt.alreadyThere() ? Standing.FREE : Standing.FIRST))
                                .toList();
                    });
        }

        private static List<String> ids(List<?> events) {
            return events.stream()
                    .map(event -> ((EventEnvelope) event).eventId())
                    .toList();
        }

        private static List<WriteReceipt> receipts(List<?> events) {
            return ids(events).stream()
                    .map(id -> new WriteReceipt(id, OptionalLong.empty(), id.equals("there")))
                    .toList();
        }
    }

    @AfterEach
    void close() {
        open.forEach(OutboxDispatcher::close);
    }

    /** Without workers, with room for two. */
    private OutboxDispatcher dispatcher(Ordering ordering) {
        OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(table)
                .listenerRegistry(new DefaultListenerRegistry())
                .ordering(ordering)
                .hotQueueCapacity(2)
                .metrics(metrics)
                .clock(clock)
                .workerCount(0)
                .build();
        dispatcher.flow().parts().pollRequests().add(trigger);
        open.add(dispatcher);
        return dispatcher;
    }

    private static EventEnvelope late(String id) {
        return EventEnvelope.builder("Tick")
                .eventId(id)
                .deliverAfter(Duration.ofSeconds(10))
                .payloadJson("{}")
                .build();
    }

    private static void writeOnce(DispatcherWriterHook hook, Table table, EventEnvelope... events) {
        List<EventEnvelope> batch = hook.beforeWrite(List.of(events));
        List<WriteReceipt> receipts = hook.insertOnce(table, null, batch, DuplicatePolicy.IGNORE);
        List<EventEnvelope> written = batch.stream()
                .filter(event -> receipts.stream()
                        .anyMatch(receipt -> receipt.eventId().equals(event.eventId()) && !receipt.alreadyThere()))
                .toList();
        hook.afterWrite(written);
        hook.afterCommit(written);
    }

    @Test
    void in_a_shared_table_as_many_are_leased_as_there_is_room_for_in_the_same_statement() {
        OutboxDispatcher dispatcher = dispatcher(Ordering.NONE);
        dispatcher.claimsAs(NODE, TIMEOUT);
        writeOnce(new DispatcherWriterHook(dispatcher), table, late("late"), event("there"), event("a"), event("b"));

        assertThat(table.asked).containsExactly("insertOnce [late, there, a, b] leased [a, there]");
        assertThat(dispatcher.flow().parts().leases().isHeld("a")).isTrue();
        assertThat(dispatcher.flow().parts().leases().isHeld("there")).isFalse();
        assertThat(dispatcher.flow().parts().leases().isHeld("late")).isFalse();
        assertThat(metrics.hotEnqueued).hasValue(1);
    }

    @Test
    void without_leases_what_was_written_is_queued_and_what_was_there_is_not() {
        OutboxDispatcher dispatcher = dispatcher(Ordering.NONE);
        writeOnce(new DispatcherWriterHook(dispatcher), table, event("there"), event("a"));

        assertThat(table.asked).containsExactly("once [there, a]");
        assertThat(metrics.hotEnqueued).hasValue(1);
    }

    @Test
    void in_order_what_was_there_is_not_ours() {
        OutboxDispatcher dispatcher = dispatcher(Ordering.PER_AGGREGATE);
        dispatcher.claimsAs(NODE, TIMEOUT);
        writeOnce(new DispatcherWriterHook(dispatcher), table, keyed("there", "1"), keyed("a", "1"));

        assertThat(table.asked).containsExactly("ordered insertOnce [there, a]");
        assertThat(dispatcher.flow().parts().leases().isHeld("there")).isFalse();
        assertThat(dispatcher.flow().parts().leases().isTurnUnknown("a")).isFalse();
        assertThat(metrics.hotEnqueued).hasValue(1);
    }

    @Test
    void in_order_a_batch_without_room_is_nobodys() {
        OutboxDispatcher dispatcher = dispatcher(Ordering.PER_AGGREGATE);
        dispatcher.claimsAs(NODE, TIMEOUT);
        writeOnce(new DispatcherWriterHook(dispatcher), table, keyed("a", "1"), keyed("b", "1"), keyed("c", "1"));

        assertThat(table.asked).containsExactly("once [a, b, c]");
    }

    @Test
    void a_delayed_event_passes_the_hot_queue_by_and_is_polled_for_when_it_is_due() {
        OutboxDispatcher dispatcher = dispatcher(Ordering.NONE);
        dispatcher.claimsAs(NODE, TIMEOUT);
        DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
        List<EventEnvelope> batch = hook.beforeWrite(List.of(late("late"), event("a")));
        hook.insert(table, null, batch);
        hook.afterWrite(batch);
        hook.afterCommit(batch);

        assertThat(table.calls()).containsExactly("insertBatch [late]");
        assertThat(table.asked).containsExactly("leased [a]");
        assertThat(batch.get(0).deliverAfter()).isEqualTo(Duration.ofSeconds(10));
        assertThat(metrics.hotEnqueued).hasValue(1);
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(trigger.requests).containsExactly("2026-01-01T00:00:10.010Z");
    }

    /** Nobody else reads the table, so the delay must end by the clock of this process. */
    @Test
    void without_leases_a_delay_is_reckoned_by_the_own_clock() {
        OutboxDispatcher dispatcher = dispatcher(Ordering.NONE);
        DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
        EventEnvelope given = late("late");
        List<EventEnvelope> batch = hook.beforeWrite(List.of(given, event("a")));
        hook.insert(table, null, batch);
        hook.afterWrite(batch);
        hook.afterCommit(batch);

        assertThat(batch.get(0).availableAt()).isEqualTo(NOW.plusSeconds(10));
        assertThat(batch.get(0).deliverAfter()).isNull();
        assertThat(batch.get(0).occurredAt()).isEqualTo(given.occurredAt());
        assertThat(table.calls()).containsExactly("insertBatch [late, a]");
        assertThat(metrics.hotEnqueued).hasValue(1);
        assertThat(dispatcher.flow().parts().intake().announcedCount()).isZero();
        assertThat(trigger.requests).containsExactly("2026-01-01T00:00:10.010Z");
    }
}
