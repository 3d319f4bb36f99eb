package outbox.dispatch;

import java.util.concurrent.atomic.AtomicInteger;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.TestLeases;
import outbox.internal.queue.FairQueue;
import outbox.internal.text.EventNames;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;

/** The parts of a dispatcher with order around its lanes, without threads; both queues have room for three. */
final class OrderedParts {

    final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    final ManualNanos nanos = new ManualNanos();
    final OrderedTable table = new OrderedTable(clock);
    final LeaseBook leases = TestLeases.on(nanos);
    final SignallingTracker tracker = new SignallingTracker();
    final RecordingTrigger trigger = new RecordingTrigger();
    final RecordingMetrics metrics = new RecordingMetrics();
    final AtomicInteger hurries = new AtomicInteger();
    final EventFlow flow = new EventFlow(
            new FlowSettings(
                    3,
                    3,
                    Long.MAX_VALUE,
                    tracker,
                    table.ordered(),
                    StubConnections.autoCommitting(),
                    metrics,
                    clock,
                    EventNames.PLAIN,
                    Flows.NO_LISTENERS),
            leases,
            () -> true,
            hurries::incrementAndGet,
            Flows.NO_WORK);
    final EventQueues queues = flow.parts().queues();
    final FairQueue<QueuedEvent> queue = queues.queue();
    final Intake intake = flow.parts().intake();
    final PollRequests requests = flow.parts().pollRequests();
    final CompletionReport report = new CompletionReport(flow, metrics);

    OrderedParts() {
        requests.add(trigger);
    }

    /** Brings events of one aggregate in, as a poller does that has claimed them. */
    void bring(String aggregateId, String... ids) {
        for (String id : ids) {
            QueuedEvent event = KeyedEvents.coldOf(aggregateId, id);
            hold(event);
            assertThat(queues.offer(event, EventQueues.Before.NOTHING)).isTrue();
        }
    }

    void hold(QueuedEvent event) {
        String id = event.envelope().eventId();
        table.add(KeyedEvents.rowOf(event.envelope().aggregateId(), id));
        assertThat(tracker.tryAcquire(id)).isTrue();
        leases.claimed(id, null, nanos.getAsLong(), true);
    }

    /** Frees the rows of events that were given back. */
    void release() {
        TestLeases.release(leases, table.leases());
    }

    /** Whether the event is neither here nor leased to this process. */
    boolean isGivenBack(String id) {
        return tracker.isFree(id) && !leases.isHeld(id);
    }
}
