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
     * A delivery has ended and its outcome is durable. After a failure the event will be retried, or this was its last attempt.
     *
     * @param time how long interceptors and listener took
     */
    default void eventDispatched(String eventType, Result result, Duration time) {}

    /** An event ended DEAD: its attempts are used up, or it cannot be decoded. */
    default void eventDead(String eventType) {}
}
