package outbox.dispatch;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.Require;
import outbox.poller.OutboxPollerHandler;
import outbox.poller.PollTrigger;

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

    /** Feeds the given dispatcher. */
    public DispatcherPollerHandler(OutboxDispatcher dispatcher) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
    }

    @Override
    public boolean handle(EventEnvelope event, int attempts) {
        QueuedEvent queued = new QueuedEvent(event, QueuedEvent.Source.COLD, attempts);
        if (window == null) {
            return dispatcher.enqueueCold(queued);
        }
        return claiming
                ? dispatcher.enqueueClaimed(queued, window, startedAt, List.of())
                : dispatcher.enqueueCold(queued, window);
    }

    @Override
    public boolean isOrdered() {
        return dispatcher.isOrdered();
    }

    @Override
    public boolean handleAfter(Collection<String> ahead, EventEnvelope event, int attempts) {
        PollWindow open = Require.set(window, "pollStarting");
        QueuedEvent queued = new QueuedEvent(event, QueuedEvent.Source.COLD, attempts);
        return dispatcher.enqueueClaimed(queued, open, startedAt, ahead);
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
        return dispatcher.coldQueueRemainingCapacity();
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
