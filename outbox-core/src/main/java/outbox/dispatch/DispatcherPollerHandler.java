package outbox.dispatch;

import java.util.Objects;
import outbox.EventEnvelope;
import outbox.poller.OutboxPollerHandler;
import outbox.poller.PollLink;

/**
 * The cold path: puts what one poller finds into the dispatcher's cold queue, as far as there is room. Give each poller a handler
 * of its own.
 */
public final class DispatcherPollerHandler implements OutboxPollerHandler {

    private final OutboxDispatcher dispatcher;
    private final DispatcherPollLink link;

    /** Feeds the given dispatcher. */
    public DispatcherPollerHandler(OutboxDispatcher dispatcher) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
        this.link = dispatcher.newPollLink();
    }

    @Override
    public boolean handle(EventEnvelope event, int attempts) {
        return link.take(new QueuedEvent(event, QueuedEvent.Source.COLD, attempts));
    }

    /** As many rows as have room if all are as large as the largest one lately. */
    @Override
    public int availableCapacity() {
        return dispatcher.flow().claimable();
    }

    @Override
    public PollLink link() {
        return link;
    }
}
