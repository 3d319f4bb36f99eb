package outbox.dispatch;

import java.util.concurrent.atomic.AtomicInteger;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.SignallingTracker;

import static org.assertj.core.api.Assertions.assertThat;

/** The parts of a dispatcher with order around its lanes, without threads; both queues have room for three. */
final class OrderedParts {

    final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    final ManualNanos nanos = new ManualNanos();
    final OrderedTable table = new OrderedTable(clock);
    final NodeLeases leases = Leases.on(table.leases(), nanos);
    final SignallingTracker tracker = new SignallingTracker();
    final InFlightEvents inFlight = new InFlightEvents(tracker);
    final RecordingTrigger trigger = new RecordingTrigger();
    final RecordingMetrics metrics = new RecordingMetrics();
    final FairEventQueue queue = new FairEventQueue(3, 3);
    final AtomicInteger hurries = new AtomicInteger();
    final AtomicInteger depthChanges = new AtomicInteger();
    final PollRequests requests = new PollRequests(() -> 0, () -> 3, clock);
    final Returns returns = new Returns(leases, inFlight, requests);
    final KeyedQueue keys = new KeyedQueue(
            Ordering.PER_AGGREGATE, queue, returns, hurries::incrementAndGet, depthChanges::incrementAndGet, requests);
    final CompletionReport report = new CompletionReport(inFlight, leases, metrics, requests, keys, returns);

    OrderedParts() {
        requests.add(trigger);
    }

    /** Brings events of one aggregate in, as a poller does that has claimed them. */
    void bring(String aggregateId, String... ids) {
        for (String id : ids) {
            QueuedEvent event = KeyedEvents.coldOf(aggregateId, id);
            hold(event);
            assertThat(keys.offer(event.source(), event, KeyedQueue.Before.NOTHING))
                    .isTrue();
        }
    }

    void hold(QueuedEvent event) {
        String id = event.envelope().eventId();
        table.add(KeyedEvents.rowOf(event.envelope().aggregateId(), id));
        assertThat(inFlight.tryAcquire(id)).isTrue();
        leases.claimed(id, 0, nanos.getAsLong());
    }

    /** Whether the event is neither here nor leased to this process. */
    boolean isGivenBack(String id) {
        return tracker.isFree(id) && leases.held(id) == null;
    }
}
