package outbox.domain;

import java.time.Instant;
import outbox.EventEnvelope;

/**
 * Something that happened to an aggregate, in the words of the domain. Usually a record; immutable, because it is written only after the
 * business method that raised it has returned.
 *
 * <p>Give it a stable name with {@link EventName}, so that its class can be renamed.
 */
public interface DomainEvent {

    /** Identifies the event for ever; consumers use it to recognise a repeated delivery. See {@link #newEventId()}. */
    String eventId();

    /** When it happened. */
    Instant occurredAt();

    /** A new id, greater than any made before in this process: events of the same instant keep the order in which they were made. */
    static String newEventId() {
        return EventEnvelope.newEventId();
    }
}
