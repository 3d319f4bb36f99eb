package outbox.dispatch;

import java.util.Collection;
import java.util.function.Predicate;
import outbox.dispatch.KeyedQueue.Before;
import outbox.dispatch.QueuedEvent.Source;
import outbox.spi.MetricsExporter;

/** How events come in: once each, as long as they are on their way here, and as far as there is room. */
final class Intake {

    private final KeyedQueue keys;
    private final InFlightEvents inFlight;
    private final NodeLeases leases;
    private final PollRequests pollRequests;
    private final QueueDepthReporter depths;
    private final MetricsExporter metrics;

    Intake(EventFlow.Parts parts, MetricsExporter metrics) {
        this.keys = parts.keys();
        this.inFlight = parts.inFlight();
        this.leases = parts.leases();
        this.pollRequests = parts.pollRequests();
        this.depths = parts.depths();
        this.metrics = metrics;
    }

    /** Takes an event right after its commit; false if there is no room or the queues are closed. */
    boolean hot(QueuedEvent event) {
        boolean queued = take(Source.HOT, event, Before.NOTHING, inFlight::tryAcquireCommitted);
        if (!queued) {
            pollRequests.hotRefused();
        }
        return queued;
    }

    /** Takes an event that was found in the table; false if there is no room or the queues are closed. */
    boolean cold(QueuedEvent event) {
        return take(Source.COLD, event, Before.NOTHING, inFlight::tryAcquire);
    }

    /** As {@link #cold}, for a row that was read after the window had been opened. */
    boolean cold(QueuedEvent event, PollWindow window) {
        return take(Source.COLD, event, Before.NOTHING, eventId -> inFlight.tryAcquire(event, window));
    }

    /**
     * As {@link #cold(QueuedEvent, PollWindow)}, for a row that was leased by a statement sent after the given time. One that is on its way
     * already is not given back, even if the queues are closed: its outcome needs the lease.
     *
     * @param ahead the ids of events that must end before it
     */
    boolean claimed(QueuedEvent event, PollWindow window, long sinceNanos, Collection<String> ahead) {
        String eventId = event.envelope().eventId();
        if (!inFlight.tryAcquire(event, window)) {
            leases.claimedAgain(eventId, event.attempts(), sinceNanos);
            return true;
        }
        Before before = Before.NOTHING;
        if (ahead.isEmpty()) {
            leases.claimed(eventId, event.attempts(), sinceNanos);
        } else {
            leases.claimedUnsure(eventId, event.attempts(), sinceNanos);
            before = new Before(ahead, window::isFinished, () -> leases.sure(eventId));
        }
        boolean queued = false;
        try {
            queued = take(Source.COLD, event, before, acquired -> true);
        } finally {
            if (!queued) {
                leases.forget(eventId); // the poller gives it back
            }
        }
        return queued;
    }

    private boolean take(Source source, QueuedEvent event, Before before, Predicate<String> acquire) {
        if (!acquire.test(event.envelope().eventId())) {
            return !keys.isClosed();
        }
        pollRequests.entered(source);
        boolean queued = false;
        try {
            queued = keys.offer(source, event.from(source), before);
        } finally {
            if (!queued) {
                inFlight.release(event.envelope().eventId());
                pollRequests.left(source);
            }
        }
        if (queued) {
            depths.changed();
            count(source);
        }
        return queued;
    }

    private void count(Source source) {
        if (source == Source.HOT) {
            metrics.incrementHotEnqueued();
        } else {
            metrics.incrementColdEnqueued();
        }
    }
}
