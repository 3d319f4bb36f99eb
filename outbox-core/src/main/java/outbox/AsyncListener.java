package outbox;

import java.util.concurrent.CompletionStage;

/**
 * A listener that returns before the event is delivered: no thread waits for the stage. The event stays leased until the stage has completed and
 * that is recorded, and in order the next one of its key waits so long. See {@link Listener#async}. Must be thread-safe.
 */
@FunctionalInterface
public interface AsyncListener {

    /**
     * Begins to handle the event. It has failed if this throws, or if the stage completes exceptionally.
     *
     * @return never null; completes with what has become of the delivery
     */
    CompletionStage<Outcome> onEvent(EventEnvelope event, Delivery delivery) throws Exception;
}
