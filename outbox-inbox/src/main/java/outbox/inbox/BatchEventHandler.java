package outbox.inbox;

import java.util.List;
import outbox.EventEnvelope;

/**
 * What a consumer group does with several events at once, for instance with one statement for all of them. Everything that is said of
 * {@link EventHandler} holds: one transaction, which is not its to end, and all of its database work is committed or none.
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

    /** The same for events that come alone, for instance from a {@link ConsumeRetryRunner}. */
    default EventHandler oneByOne() {
        return event -> handle(List.of(event));
    }
}
