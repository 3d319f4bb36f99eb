package outbox;

import java.util.Objects;

/**
 * Reacts to an event after its transaction has committed. Each event goes to exactly one listener, that of its aggregate type and event
 * type or one that stands in for all of them; cross-cutting concerns belong in an {@link outbox.dispatch.EventInterceptor}.
 *
 * <p>Delivery is at least once: a listener must tolerate the same {@link EventEnvelope#eventId()} again. It is called from
 * several worker threads at once.
 */
@FunctionalInterface
public interface EventListener {

    /**
     * Handles the event. Returning means success; throwing anything means that the event is retried later or, when its
     * attempts are used up, ends DEAD.
     */
    void onEvent(EventEnvelope event) throws Exception;

    /** What becomes of later events of the aggregate when one that this listener could not handle has ended DEAD. Only with order. */
    default AfterDead afterDead() {
        return AfterDead.CONTINUE;
    }

    /** A listener that does as the given one, and whose DEAD events hold back the later ones of their aggregate. */
    static EventListener holdingKeyAfterDead(EventListener listener) {
        Objects.requireNonNull(listener, "listener");
        return new EventListener() {

            @Override
            public void onEvent(EventEnvelope event) throws Exception {
                listener.onEvent(event);
            }

            @Override
            public AfterDead afterDead() {
                return AfterDead.HOLD_KEY;
            }
        };
    }
}
