package outbox;

import java.time.Duration;

/** How a {@link Listener} is called. */
public sealed interface ListenerCall {

    /** On a worker's thread, which waits for it to return. */
    record Direct(OutcomeListener listener) implements ListenerCall {}

    /** On a worker's thread, which does not wait for the stage to complete. */
    record Async(AsyncListener listener) implements ListenerCall {}

    /**
     * With many events at once, on threads of its own.
     *
     * @param size how many at most
     * @param linger how long the first of them waits for others
     */
    record Batch(BatchListener listener, int size, Duration linger) implements ListenerCall {}
}
