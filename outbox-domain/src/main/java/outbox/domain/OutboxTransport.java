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

    /** A listener that publishes what it gets; for the default listener of an outbox, or that of an aggregate type. */
    default EventListener asListener() {
        return this::publish;
    }
}
