package outbox.domain;

/** Turns a domain event into the payload that is stored. Must be thread-safe. */
@FunctionalInterface
public interface OutboxPayloadSerializer {

    /**
     * Returns the payload, usually JSON.
     *
     * @throws RuntimeException if the event cannot be serialized; then nothing of its aggregate is written
     */
    String serialize(DomainEvent event);
}
