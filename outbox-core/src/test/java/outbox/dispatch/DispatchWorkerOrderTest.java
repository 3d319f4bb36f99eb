package outbox.dispatch;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.lease.TestLeases;
import outbox.internal.outcome.CompletionWriter;
import outbox.internal.outcome.Marks;
import outbox.internal.outcome.StoreMarks;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Events;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.OrderedTable;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.KeyedEvents.AGGREGATE_TYPE;
import static outbox.testsupport.KeyedEvents.coldOf;

/** A worker that delivers in order. */
class DispatchWorkerOrderTest extends DispatchWorkerFixture {

    private final ManualNanos nanos = new ManualNanos();
    private final OrderedTable table = new OrderedTable(clock);
    private boolean asks;

    @BeforeEach
    void turnOrderOn() {
        leases = TestLeases.on(nanos);
        order = table.ordered();
        table.add(KeyedEvents.rowOf("1", "a"), KeyedEvents.rowOf("1", "b"));
        table.add(Events.row("x"));
    }

    @Override
    Marks marks() {
        return new StoreMarks(table, leases::ownerId, false, CompletionWriter.TIME_LIMIT);
    }

    @Test
    void an_event_that_is_not_sure_is_delivered_when_it_is_its_turn() {
        claimBehindOthers("a");
        deliver(event -> delivered.add(event.eventId()), coldOf("1", "a"));

        assertThat(delivered).containsExactly("a");
        assertThat(table.orderCalls()).contains("order.isFirst a");
    }

    @Test
    void an_event_whose_turn_has_not_come_is_given_back_and_polled_for() {
        claimBehindOthers("b");
        deliver(event -> delivered.add(event.eventId()), coldOf("1", "b"));

        assertIsLeftToThePoller("b");
        assertThat(flow().parts().queues().depth(Source.COLD)).isZero();
    }

    @Test
    void an_event_of_which_the_database_does_not_tell_is_given_back_and_polled_for() {
        table.forgetTurns(true);
        claimBehindOthers("a");
        deliver(event -> delivered.add(event.eventId()), coldOf("1", "a"));

        assertIsLeftToThePoller("a");
    }

    @Test
    void those_that_wait_behind_an_event_whose_turn_has_not_come_are_given_back_with_it() {
        claimBehindOthers("b");
        table.add(KeyedEvents.rowOf("1", "c"));
        claim("c");
        deliver(event -> delivered.add(event.eventId()), coldOf("1", "b"), coldOf("1", "c"));

        assertIsLeftToThePoller("b");
        assertIsLeftToThePoller("c");
    }

    @Test
    void those_that_wait_behind_an_event_whose_lease_has_run_out_are_given_back() {
        claim("a");
        nanos.advance(TestLeases.TIMEOUT.plusSeconds(1));
        claim("b");
        deliver(event -> delivered.add(event.eventId()), coldOf("1", "a"), coldOf("1", "b"));

        assertThat(delivered).isEmpty();
        assertIsLeftToThePoller("b");
    }

    @Test
    void a_dead_event_holds_its_key_if_its_listener_says_so() {
        maxAttempts = 1;
        claim("a");
        deliver(EventListener.holdingKeyAfterDead(this::fail), coldOf("1", "a"));

        assertThat(table.isUnfinished("a")).isTrue();
        assertThat(table.hasUnfinishedBefore("b")).isTrue();
    }

    @Test
    void a_dead_event_holds_nothing_by_default() {
        maxAttempts = 1;
        claim("a");
        deliver(this::fail, coldOf("1", "a"));

        assertThat(table.isUnfinished("a")).isFalse();
    }

    @Test
    void an_event_that_died_with_its_processes_holds_its_key_as_well() {
        claim("a");
        deliver(
                EventListener.holdingKeyAfterDead(this::fail),
                new QueuedEvent(KeyedEvents.keyed("a", "1"), Source.COLD, maxAttempts));

        assertThat(table.isUnfinished("a")).isTrue();
    }

    @Test
    void a_dead_event_without_a_key_holds_nothing() {
        maxAttempts = 1;
        claim("x");
        DefaultListenerRegistry registry =
                new DefaultListenerRegistry().register(Events.TYPE, EventListener.holdingKeyAfterDead(this::fail));
        offer(Events.cold("x"));
        queue().close();
        worker(registry, List.of()).run();
        record();

        assertThat(metrics.dead).hasValue(1);
        assertThat(table.isUnfinished("x")).isFalse();
    }

    @Test
    void a_dead_event_holds_nothing_without_order() {
        order = null;
        maxAttempts = 1;
        claim("a");
        deliver(EventListener.holdingKeyAfterDead(this::fail), coldOf("1", "a"));

        assertThat(metrics.dead).hasValue(1);
        assertThat(table.isUnfinished("a")).isFalse();
    }

    private void fail(EventEnvelope event) {
        throw new IllegalStateException("listener is broken");
    }

    private void claim(String id) {
        leases.claimed(id, null, nanos.getAsLong(), true);
        takeOver(id);
    }

    private void claimBehindOthers(String id) {
        leases.claimed(id, null, nanos.getAsLong(), false);
        takeOver(id);
    }

    private void takeOver(String id) {
        if (!asks) {
            asks = true;
            pollRequests().add(trigger);
        }
        assertThat(tracker.tryAcquire(id)).isTrue();
        table.lock(id, TestLeases.NODE);
    }

    private void deliver(EventListener listener, QueuedEvent... events) {
        for (QueuedEvent event : events) {
            offer(event);
        }
        queue().close();
        worker(new DefaultListenerRegistry().register(AGGREGATE_TYPE, Events.TYPE, listener), List.of())
                .run();
        record();
    }

    private void offer(QueuedEvent event) {
        assertThat(flow().parts().queues().offer(event, EventQueues.Before.NOTHING))
                .isTrue();
    }

    private void assertIsLeftToThePoller(String id) {
        assertThat(delivered).isEmpty();
        assertThat(tracker.isFree(id)).isTrue();
        assertThat(leases.isHeld(id)).isFalse();
        assertThat(trigger.requests).isNotEmpty().allMatch(due -> due.startsWith("2026-01-01T00:00:00"));
        TestLeases.release(leases, table.leases());
        assertThat(table.lockedBy(id)).isNull();
    }
}
