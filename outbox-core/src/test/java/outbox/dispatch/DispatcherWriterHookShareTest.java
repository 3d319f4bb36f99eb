package outbox.dispatch;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.internal.outcome.Completions;
import outbox.internal.outcome.Verdict;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.internal.lease.TestLeases.NODE;
import static outbox.internal.lease.TestLeases.TIMEOUT;
import static outbox.testsupport.KeyedEvents.keyed;

/** Of one key no more events are ours than a process may hold, however they are written. */
class DispatcherWriterHookShareTest {

    private static final AggregateKey KEY = new AggregateKey(KeyedEvents.AGGREGATE_TYPE, "1");

    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final OrderedTable table = new OrderedTable(clock);
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final OutboxDispatcher dispatcher = OutboxDispatcher.builder()
            .connectionProvider(StubConnections.autoCommitting())
            .outboxStore(table)
            .listenerRegistry(new DefaultListenerRegistry())
            .ordering(Ordering.PER_AGGREGATE)
            .hotQueueCapacity(100)
            .metrics(metrics)
            .clock(clock)
            .nanoTime(new ManualNanos())
            .workerCount(0)
            .build();
    private final DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);

    @BeforeEach
    void holdLeases() {
        dispatcher.flow().parts().pollRequests().add(trigger);
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
    }

    @AfterEach
    void close() {
        dispatcher.close();
    }

    @Test
    void one_batch_leases_no_more_of_a_key_than_a_node_may_hold() {
        List<EventEnvelope> batch = new ArrayList<>(ofKey("1", 0, 40));
        batch.add(35, keyed("other", "2"));
        batch.add(keyed("none", null));
        write(batch.toArray(EventEnvelope[]::new));

        List<String> ours = new ArrayList<>(ids(ofKey("1", 0, 32)));
        ours.addAll(List.of("other", "none"));
        assertThat(table.calls())
                .containsExactly("order.insert node-1 " + ours, "insertBatch " + ids(ofKey("1", 32, 8)));
        assertThat(table.idsOf("1")).isEqualTo(ids(ofKey("1", 0, 40)));
        assertThat(dispatcher.flow().parts().leases().heldCount()).isEqualTo(34);
        assertThat(metrics.hotEnqueued).hasValue(34);
        assertThat(trigger.requests).isNotEmpty();
        assertThat(shares().comingCount()).isZero();
    }

    @Test
    void open_transactions_lease_together_no_more_of_a_key_than_a_node_may_hold() {
        List<EventEnvelope> one = begin(ofKey("1", 0, 20));
        List<EventEnvelope> two = begin(ofKey("1", 20, 20));
        List<EventEnvelope> three = begin(ofKey("1", 40, 1));
        assertThat(table.calls())
                .containsExactly(
                        "order.insert node-1 " + ids(one),
                        "order.insert node-1 " + ids(two.subList(0, 12)),
                        "insertBatch " + ids(two.subList(12, 20)),
                        "insertBatch " + ids(three));

        rollBack(two);
        rollBack(three);
        rollBack(begin(ofKey("1", 50, 13)));
        assertThat(table.calls()).contains("order.insert node-1 " + ids(ofKey("1", 50, 12)));
        hook.afterCommit(one);
        // What is in line counts as well as what is about to come.
        begin(ofKey("1", 70, 13));
        assertThat(table.calls()).contains("order.insert node-1 " + ids(ofKey("1", 70, 12)));
        assertThat(shares().comingCount()).isEqualTo(12);
    }

    @Test
    void what_is_committed_behind_a_full_line_is_left_to_the_poller() {
        List<EventEnvelope> open = begin(ofKey("1", 0, 20));
        PollPass poll = dispatcher.flow().beginPoll();
        for (EventEnvelope event : ofKey("1", 100, 32)) {
            QueuedEvent cold = KeyedEvents.coldOf("1", event.eventId());
            assertThat(dispatcher.flow().intake().claimed(cold, poll, List.of(), null))
                    .isTrue();
        }
        poll.end();
        hook.afterCommit(open);

        assertThat(dispatcher.flow().parts().leases().heldCount()).isEqualTo(32);
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(trigger.requests).isNotEmpty();
        assertThat(shares().comingCount()).isZero();
    }

    @Test
    void a_batch_that_is_written_once_and_has_more_of_a_key_than_a_node_may_hold_is_nobodys() {
        OrderedTable once = new OrderedTable(clock) {
            @Override
            public List<WriteReceipt> insertOnce(Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
                insertBatch(conn, events);
                return events.stream()
                        .map(event -> WriteReceipt.written(event.eventId(), OptionalLong.empty()))
                        .toList();
            }
        };
        assertThat(hook.insertOnce(once, null, ofKey("1", 0, 33), DuplicatePolicy.IGNORE))
                .hasSize(33);

        assertThat(dispatcher.flow().parts().leases().heldCount()).isZero();
        assertThat(shares().comingCount()).isZero();
    }

    @Test
    void an_insert_that_fails_halfway_leaves_nothing_as_ours() {
        OrderedTable failing = new OrderedTable(clock) {
            @Override
            public synchronized void insertBatch(Connection conn, List<EventEnvelope> events) {
                throw new IllegalStateException("no more");
            }
        };
        assertThatThrownBy(() -> hook.insert(failing, null, ofKey("1", 0, 33))).hasMessage("no more");

        assertThat(dispatcher.flow().parts().leases().heldCount()).isZero();
        assertThat(shares().comingCount()).isZero();
    }

    @Test
    void events_of_a_key_that_are_left_are_fetched_when_few_of_it_are_here() {
        write(ofKey("1", 0, 40).toArray(EventEnvelope[]::new));
        KeysLeft left = dispatcher.flow().parts().queues().keysLeft();
        int few = OrderedStore.LONGEST_LINE / 4;
        for (EventEnvelope event : ofKey("1", 0, OrderedStore.LONGEST_LINE - few)) {
            assertThat(left.takeWanted()).isEmpty();
            dispatcher.flow().recorded(Completions.of(KeyedEvents.hotOf("1", event.eventId()), Verdict.DONE));
        }

        assertThat(left.takeWanted()).containsExactly(KEY);
    }

    private KeyShares shares() {
        return dispatcher.flow().parts().intake().shares();
    }

    private List<EventEnvelope> begin(List<EventEnvelope> events) {
        hook.insert(table, null, events);
        hook.afterWrite(events);
        return events;
    }

    private void rollBack(List<EventEnvelope> events) {
        events.forEach(event -> table.remove(event.eventId()));
        hook.afterRollback(events);
    }

    private static List<EventEnvelope> ofKey(String key, int from, int count) {
        return IntStream.range(from, from + count)
                .mapToObj(i -> keyed(key + "-" + i, key))
                .toList();
    }

    private static List<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    private void write(EventEnvelope... events) {
        hook.insert(table, null, List.of(events));
        hook.afterWrite(List.of(events));
        hook.afterCommit(List.of(events));
    }
}
