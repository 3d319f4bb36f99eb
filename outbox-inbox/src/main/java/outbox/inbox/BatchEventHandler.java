package outbox.inbox;

import java.util.List;
import outbox.EventEnvelope;

/**
 * What a consumer group does with several events at once, for example with one statement for all of them. The rules of
 * {@link EventHandler} apply: it runs in one transaction, which it must not end, and either all of its database work is committed or none.
 */
@FunctionalInterface
public interface BatchEventHandler {

    /**
     * Handles the events. Throwing anything rolls the transaction back; then the handler is called with fewer of them, down to a single
     * one, whose failure is recorded.
     *
     * @param events different events that were not handled before, at least one, in the order of their arrival; unmodifiable
     */
    void handle(List<EventEnvelope> events) throws Exception;

    /** The same handler for events that arrive alone, for example from a {@link ConsumeRetryRunner}. */
    default EventHandler oneByOne() {
        return event -> handle(List.of(event));
    }
}
