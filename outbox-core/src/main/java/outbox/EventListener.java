package outbox;

/**
 * Reacts to an event after its transaction has committed. Each (aggregate type, event type) has exactly one listener;
 * cross-cutting concerns belong in an {@link outbox.dispatch.EventInterceptor}.
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
}
