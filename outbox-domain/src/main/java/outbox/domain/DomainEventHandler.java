package outbox.domain;

/** Reacts to domain events of one type. Must be thread-safe, and tolerate the same event again. */
@FunctionalInterface
public interface DomainEventHandler<E extends DomainEvent> {

    /** Handles the event. Throwing anything means that it is delivered again later, or ends DEAD. */
    void handle(E event) throws Exception;
}
