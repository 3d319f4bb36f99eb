package outbox.boot;

/** Knows the types of events by the classes of their payloads, as {@link OutboxMapping}s and {@link Outboxed} say them. */
@FunctionalInterface
public interface EventTypes {

    /** The type of events whose payload is of that class. */
    String eventTypeOf(Class<?> payload);
}
