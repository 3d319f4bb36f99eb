package outbox.spi;

import java.time.Duration;

/** Receives what happens to events as numbers by event type; ignores it by default. Called from many threads; must be quick. */
public interface EventMetrics {

    /** How a delivery ended. */
    enum Result {
        SUCCESS,
        FAILURE
    }

    /** An event was written, and its transaction has committed. */
    default void eventWritten(String eventType) {}

    /**
     * A delivery has ended and its outcome is durable; one that failed will be retried, or was the last.
     *
     * @param time how long interceptors and listener took
     */
    default void eventDispatched(String eventType, Result result, Duration time) {}

    /** An event ended DEAD: its deliveries are used up, or it cannot be read. */
    default void eventDead(String eventType) {}
}
