package outbox.spi;

import outbox.model.ListenerState.BreakerState;

/** Receives how listeners are doing, by their names; ignores it by default. Called from many threads; must be quick. */
public interface ListenerMetrics {

    /** A listener's breaker has changed: open, its events stay in the table; half open, a few of them try; closed, all go on. */
    default void recordBreaker(String listener, BreakerState state) {}

    /** A call of a listener has not ended within its timeout, nor after it was interrupted, and was left alone. */
    default void callAbandoned(String listener) {}

    /** An event was too old to be worth delivering, and has ended DEAD for that. It is not told as a DEAD event beside. */
    default void eventExpired(String eventType) {}

    /** So many events were not delivered, because there was a newer one of their key and type; they are DONE. */
    default void eventsSuperseded(String eventType, int events) {}
}
