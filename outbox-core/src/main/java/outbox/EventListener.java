package outbox;

import java.util.Objects;

/**
 * Reacts to an event after its transaction has committed. Each event goes to exactly one listener: the one for its aggregate type and
 * event type, or else a more general one; cross-cutting concerns belong in an {@link outbox.dispatch.EventInterceptor}.
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

    /** What happens to later events of an aggregate when one that this listener could not handle has ended DEAD. Matters only with ordering. */
    default AfterDead afterDead() {
        return AfterDead.CONTINUE;
    }

    /** This listener with its settings, which the dispatcher asks for. A wrapper that means to keep those of what it wraps passes this on. */
    default Listener configured() {
        return Listener.of(this);
    }

    /** Wraps a listener so that its DEAD events hold back the later events of their aggregates. */
    static EventListener holdingKeyAfterDead(EventListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (listener instanceof Listener known) {
            return known.holdingKeyAfterDead();
        }
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
