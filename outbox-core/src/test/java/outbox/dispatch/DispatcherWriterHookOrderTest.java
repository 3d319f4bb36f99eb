package outbox.dispatch;

import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingMetrics.Depths;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.lease.TestLeases.NODE;
import static outbox.internal.lease.TestLeases.TIMEOUT;
import static outbox.testsupport.KeyedEvents.keyed;

/** Writes into a table that keeps order, by a dispatcher without workers that has room for three. */
class DispatcherWriterHookOrderTest {

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final ManualNanos nanos = new ManualNanos();
    private final OrderedTable table = new OrderedTable(clock);
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final OutboxDispatcher dispatcher = OutboxDispatcher.builder()
            .connectionProvider(StubConnections.autoCommitting())
            .outboxStore(table)
            .listenerRegistry(new DefaultListenerRegistry())
            .ordering(Ordering.PER_AGGREGATE)
            .hotQueueCapacity(3)
            .metrics(metrics)
            .clock(clock)
            .nanoTime(nanos)
            .workerCount(0)
            .build();
    private final DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);

    @BeforeEach
    void connectPoller() {
        dispatcher.flow().parts().pollRequests().add(trigger);
    }

    @AfterEach
    void stopCapturing() {
        dispatcher.close();
        log.close();
    }

    @Test
    void events_are_inserted_in_order_as_ours_and_queued_after_the_commit() {
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
        write(keyed("a", "1"), keyed("b", "1"), keyed("c", "2"));

        assertThat(table.calls()).containsExactly("order.insert node-1 [a, b, c]");
        assertThat(metrics.hotEnqueued).hasValue(3);
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(3, 0));
        assertThat(dispatcher.flow().parts().leases().isTurnUnknown("b")).isTrue();
        assertThat(dispatcher.flow().parts().leases().isTurnUnknown("c")).isFalse();
        assertThat(trigger.requests).isEmpty();
    }

    @Test
    void a_batch_for_which_there_is_not_enough_room_is_inserted_as_nobodys_and_polled_for() {
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
        write(keyed("a", "1"), keyed("b", "2"));
        write(keyed("c", "1"), keyed("d", "2"));

        assertThat(table.calls()).containsExactly("order.insert node-1 [a, b]", "insertBatch [c, d]");
        assertLeftToThePoller("c", "d");
        assertThat(metrics.hotEnqueued).hasValue(2);
    }

    @Test
    void those_that_are_being_written_have_their_place_and_those_that_wait_take_none() {
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
        List<EventEnvelope> underWay = List.of(keyed("a", "1"), keyed("b", "1"));
        hook.insert(table, null, underWay);
        hook.afterWrite(underWay);
        assertThat(dispatcher.flow().hotPath().room().events()).isEqualTo(1);
        hook.afterCommit(underWay);
        assertThat(dispatcher.flow().hotPath().room().events()).isEqualTo(2);
        write(keyed("c", "1"));

        assertThat(dispatcher.flow().hotPath().room().events()).isEqualTo(2);
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(3, 0));
    }

    @Test
    void an_event_behind_one_of_somebody_else_is_polled_for_and_is_no_refusal() {
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
        table.add(KeyedEvents.rowOf("1", "a"));
        write(keyed("b", "1"));

        assertThat(table.lockedBy("b")).isNull();
        assertLeftToThePoller("b");
    }

    @Test
    void before_leases_are_on_events_are_inserted_plainly_and_not_queued() {
        write(keyed("a", "1"));

        assertThat(table.calls()).containsExactly("insertBatch [a]");
        assertLeftToThePoller("a");
        assertThat(metrics.hotEnqueued).hasValue(0);
    }

    @Test
    void a_writer_whose_store_keeps_no_order_inserts_plainly() {
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
        LeasingStore other = new LeasingStore(clock);
        hook.insert(other, null, List.of(keyed("a", "1")));

        assertThat(other.calls()).containsExactly("insertBatch [a]");
    }

    @Test
    void a_process_that_is_not_the_active_one_leaves_its_events_to_the_other() {
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
        dispatcher.flow().hotPath().goOnlyWhile(() -> false);
        write(keyed("a", "1"));

        assertThat(table.calls()).containsExactly("insertBatch [a]");
        assertThat(trigger.requests).isEmpty();
        assertThat(metrics.hotDropped).hasValue(0);
    }

    @Test
    void a_rolled_back_event_is_not_ours_any_more() {
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
        List<EventEnvelope> events = List.of(keyed("a", "1"));
        hook.insert(table, null, events);
        hook.afterWrite(events);
        hook.afterRollback(events);

        assertThat(dispatcher.flow().parts().leases().isHeld("a")).isFalse();
        assertThat(dispatcher.flow().hotPath().room().events()).isEqualTo(3);
    }

    @Test
    void what_a_closed_dispatcher_refuses_is_given_back_at_once() {
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
        List<EventEnvelope> events = List.of(keyed("a", "1"));
        hook.insert(table, null, events);
        hook.afterWrite(events);
        dispatcher.close();
        hook.afterCommit(events);

        assertThat(table.lockedBy("a")).isNull();
        assertThat(metrics.hotDropped).hasValue(1);
        assertThat(log.at(Level.WARNING)).hasSize(1);
    }

    @Test
    void one_that_was_delivered_before_its_writer_came_does_not_keep_its_place() {
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
        List<EventEnvelope> batch = List.of(keyed("a", "1"));
        hook.insert(table, null, batch);
        hook.afterWrite(batch);
        dispatcher.flow().parts().leases().ended("a", null); // the poller had found it after its lease had run out
        hook.afterCommit(batch);

        assertThat(dispatcher.flow().parts().intake().announcedCount()).isZero();
    }

    @Test
    void a_writer_that_comes_after_the_lease_of_a_queued_event_has_run_out_does_not_make_it_deliverable() {
        dispatcher.flow().parts().leases().begin(NODE, TIMEOUT);
        List<EventEnvelope> batch = List.of(keyed("a", "1"));
        table.insertBatch(null, batch);
        hook.afterWrite(batch);
        dispatcher
                .flow()
                .intake()
                .claimed(KeyedEvents.coldOf("1", "a"), dispatcher.flow().beginPoll(), List.of(), null);
        nanos.advance(TIMEOUT.plusSeconds(1));
        hook.afterCommit(batch);

        assertThat(dispatcher.flow().parts().leases().isHeld("a")).isTrue();
        assertThat(dispatcher.flow().parts().leases().start("a")).isFalse();
    }

    private void write(EventEnvelope... events) {
        hook.insert(table, null, List.of(events));
        hook.afterWrite(List.of(events));
        hook.afterCommit(List.of(events));
    }

    private void assertLeftToThePoller(String... ids) {
        assertThat(trigger.requests).hasSize(ids.length).allMatch("2026-01-01T00:00:00Z"::equals);
        assertThat(ids).allMatch(id -> !dispatcher.flow().parts().leases().isHeld(id));
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(log.at(Level.WARNING)).isEmpty();
        assertThat(dispatcher.flow().parts().intake().announcedCount()).isZero();
    }
}
