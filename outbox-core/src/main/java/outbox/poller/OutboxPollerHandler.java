package outbox.poller;

import outbox.EventEnvelope;

/**
 * Takes the events that a poller found. Called by one thread at a time.
 *
 * <p>A handler that feeds an {@link outbox.dispatch.OutboxDispatcher} is {@link outbox.dispatch.DispatcherPollerHandler}; one of
 * your own that wraps it must pass on all three methods.
 */
@FunctionalInterface
public interface OutboxPollerHandler {

    /**
     * Takes one event.
     *
     * @param attempts how many deliveries have failed so far
     * @return false if there is no room; the poller then stops this round, and offers the event again in a later one
     */
    boolean handle(EventEnvelope event, int attempts);

    /** How many events could be taken now; the poller fetches no more than that. */
    default int availableCapacity() {
        return Integer.MAX_VALUE;
    }

    /** What else poller and handler tell each other. By default nothing. */
    default PollLink link() {
        return PollLink.NONE;
    }
}
