package outbox.dispatch;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.GuardedMetrics;
import outbox.internal.Require;
import outbox.model.OutboxEvent;
import outbox.poller.OutboxPollerHandler;
import outbox.poller.PollTrigger;
import outbox.spi.MetricsExporter;

/**
 * The cold path: puts what one poller finds into the dispatcher's cold queue, as far as there is room. Give each poller a handler
 * of its own.
 */
public final class DispatcherPollerHandler implements OutboxPollerHandler {

    private final OutboxDispatcher dispatcher;
    private @Nullable PollWindow window;
    private long enteredBefore;
    private boolean claiming;
    private long startedAt;
    private long largest;
    private MetricsExporter pollersOwn = MetricsExporter.NOOP;

    /** Feeds the given dispatcher. */
    public DispatcherPollerHandler(OutboxDispatcher dispatcher) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
    }

    @Override
    public boolean handle(EventEnvelope event, int attempts) {
        measure(event);
        QueuedEvent queued = new QueuedEvent(event, QueuedEvent.Source.COLD, attempts);
        PollWindow open = window;
        if (open == null) {
            return dispatcher.enqueueCold(queued);
        }
        return counting(
                open,
                () -> claiming
                        ? dispatcher.enqueueClaimed(queued, open, startedAt, List.of())
                        : dispatcher.enqueueCold(queued, open));
    }

    /** One that was on its way already is taken as well, and not counted again. */
    private boolean counting(PollWindow open, BooleanSupplier enqueue) {
        int before = open.enteredCount();
        boolean taken = enqueue.getAsBoolean();
        if (taken && open.enteredCount() > before) {
            pollersOwn.incrementColdEnqueued();
        }
        return taken;
    }

    /** The dispatcher counts with its own exporter; a poller that was given another one has what it found counted there as well. */
    @Override
    public boolean countsEnqueued(MetricsExporter metrics) {
        if (metrics != dispatcher.exporter()) {
            pollersOwn = new GuardedMetrics(metrics);
        }
        return true;
    }

    @Override
    public boolean holdsKeyWhenDead(OutboxEvent event) {
        return dispatcher.holdsKeyWhenDead(event);
    }

    private void measure(EventEnvelope event) {
        largest = Math.max(largest, event.sizeInMemory());
    }

    @Override
    public boolean isOrdered() {
        return dispatcher.isOrdered();
    }

    @Override
    public boolean handleAfter(Collection<String> ahead, EventEnvelope event, int attempts) {
        measure(event);
        PollWindow open = Require.set(window, "pollStarting");
        QueuedEvent queued = new QueuedEvent(event, QueuedEvent.Source.COLD, attempts);
        return counting(open, () -> dispatcher.enqueueClaimed(queued, open, startedAt, ahead));
    }

    @Override
    public String claimsAs(String ownerId, Duration timeout) {
        claiming = true;
        return dispatcher.holdLeases(ownerId, timeout);
    }

    @Override
    public void deliverOnlyWhile(BooleanSupplier active) {
        dispatcher.acceptHotOnlyWhile(active);
    }

    @Override
    public int availableCapacity() {
        return dispatcher.claimable();
    }

    @Override
    public void pollStarting() {
        pollFinished();
        dispatcher.dueTimes().pollStarting();
        dispatcher.leases().releaseGivenBack();
        startedAt = dispatcher.leases().now();
        window = dispatcher.inFlight().openWindow();
        enteredBefore = dispatcher.pollRequests().coldEntered();
    }

    @Override
    public void pollFinished() {
        if (window != null) {
            dispatcher.inFlight().closeWindow(window);
            window = null;
        }
        if (largest > 0) {
            dispatcher.largestRow().found(largest);
            largest = 0;
        }
    }

    /** Whatever came lately, from now on the worst is assumed, until smaller rows have come again. */
    @Override
    public void rowsDidNotFit() {
        dispatcher.largestRow().found(EventEnvelope.MAX_PAYLOAD_BYTES);
    }

    /** A poll that found nothing but events which are on their way already would only find them again. */
    @Override
    public void pollWhenEnded() {
        if (dispatcher.pollRequests().coldEntered() != enteredBefore) {
            dispatcher.pollRequests().pollWhenColdEnded();
        }
    }

    @Override
    public void connect(PollTrigger trigger) {
        dispatcher.pollRequests().add(trigger);
    }

    @Override
    public void pollWhenRoomFor(int events) {
        dispatcher.pollRequests().pollWhenRoomFor(events);
    }
}
