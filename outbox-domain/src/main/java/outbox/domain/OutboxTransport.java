package outbox.domain;

import outbox.EventEnvelope;
import outbox.EventListener;

/** Publishes events to another system: a broker, an HTTP endpoint, a bus. Must be thread-safe. */
@FunctionalInterface
public interface OutboxTransport {

    /**
     * Publishes one event, and returns when the other system has it. Throwing anything means that it is published again later, or ends
     * DEAD when its attempts are used up. The same event may be published more than once.
     */
    void publish(EventEnvelope event) throws Exception;

    /**
     * As {@link #publish(EventEnvelope)}, which it calls by default, for a transport that wants to know how often this was tried before. This is
     * the one that {@link OutboxRelayService} calls; a listener does not know the number.
     *
     * @param attempts how many attempts have failed so far
     */
    default void publish(EventEnvelope event, int attempts) throws Exception {
        publish(event);
    }

    /** A listener that publishes what it gets; for the default listener of an outbox, or that of an aggregate type. */
    default EventListener asListener() {
        return this::publish;
    }
}
