package outbox.inbox;

import outbox.EventEnvelope;

/**
 * What a consumer group does with an event. Runs inside a transaction, which it must use for its database work and must not end: the event
 * counts as handled if and only if that work is committed. What it does elsewhere is not undone when it fails, and may happen again.
 */
@FunctionalInterface
public interface EventHandler {

    /** Handles the event. Throwing anything rolls the transaction back and records the failure. */
    void handle(EventEnvelope event) throws Exception;
}
