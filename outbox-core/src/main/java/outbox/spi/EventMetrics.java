package outbox.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Receives what happens to events as numbers by event type; ignores it by default. Called from many threads; must be quick. */
public interface EventMetrics {

    /** How a delivery ended. */
    enum Result {
        SUCCESS,
        FAILURE
    }

    /** How an event came to its listener. */
    enum Path {
        /** From memory, right after its commit. */
        HOT,
        /** Found in the table by a poll. */
        COLD
    }

    /** An event was written, and its transaction has committed. */
    default void eventWritten(String eventType) {}

    /** As {@link #eventWritten(String)}, which it calls by default, with the event's tenant. This is the one that is called. */
    default void eventWritten(String eventType, @Nullable String tenantId) {
        eventWritten(eventType);
    }

    /**
     * The first delivery of an event begins; retries are not told.
     *
     * @param waited since its commit if it came hot, since its creation if it came cold; a delay that was asked for included
     */
    default void eventStarted(String eventType, Path path, Duration waited) {}

    /**
     * A delivery has ended and its outcome is durable. After a failure the event will be retried, or this was its last attempt.
     *
     * @param time how long interceptors and listener took
     */
    default void eventDispatched(String eventType, Result result, Duration time) {}

    /** As {@link #eventDispatched(String, Result, Duration)}, which it calls by default, with the tenant. This is the one that is called. */
    default void eventDispatched(String eventType, @Nullable String tenantId, Result result, Duration time) {
        eventDispatched(eventType, result, time);
    }

    /** An event ended DEAD: its attempts are used up, or it cannot be decoded. */
    default void eventDead(String eventType) {}

    /** As {@link #eventDead(String)}, which it calls by default, with the event's tenant. This is the one that is called. */
    default void eventDead(String eventType, @Nullable String tenantId) {
        eventDead(eventType);
    }

    /** Events of so many kinds (aggregate type and event type) wait in the table, as far as is known, because nobody in this process listens to them. */
    default void recordWaitingRoutes(int routes) {}
}
