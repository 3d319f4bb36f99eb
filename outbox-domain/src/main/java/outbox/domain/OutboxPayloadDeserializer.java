package outbox.domain;

/** Turns a stored payload back into a domain event. Must be thread-safe. */
@FunctionalInterface
public interface OutboxPayloadDeserializer {

    /**
     * Returns the event.
     *
     * @param type the class that is registered for the event's name and version; no other may be instantiated
     * @throws RuntimeException if the payload does not fit that class; the event is then retried and in the end DEAD
     */
    <E extends DomainEvent> E deserialize(String payload, Class<E> type);
}
