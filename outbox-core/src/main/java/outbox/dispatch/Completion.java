package outbox.dispatch;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.EventNames;

/**
 * The end of a delivery, waiting to be recorded. Holds no payload: many of them may wait for long while the database is away.
 *
 * @param attempts how many deliveries had failed before this one
 * @param deliveryNanos how long interceptors and listener took; {@value #NOT_DELIVERED} if they were not called
 * @param names how log lines name it
 */
record Completion(
        String eventId,
        String aggregateType,
        @Nullable String aggregateId,
        String eventType,
        @Nullable String tenantId,
        QueuedEvent.Source source,
        int attempts,
        Outcome outcome,
        long deliveryNanos,
        EventNames names) {

    static final long NOT_DELIVERED = -1;

    /** The end of an event that was not delivered. */
    static Completion of(QueuedEvent event, Outcome outcome) {
        return of(event, outcome, NOT_DELIVERED, EventNames.PLAIN);
    }

    static Completion of(QueuedEvent event, Outcome outcome, long deliveryNanos, EventNames names) {
        EventEnvelope envelope = event.envelope();
        return new Completion(
                envelope.eventId(),
                envelope.aggregateType(),
                envelope.aggregateId(),
                envelope.eventType(),
                envelope.tenantId(),
                event.source(),
                event.attempts(),
                outcome,
                deliveryNanos,
                names);
    }

    /** The same end with no more of its error than every database takes. */
    Completion withoutText() {
        return new Completion(
                eventId,
                aggregateType,
                aggregateId,
                eventType,
                tenantId,
                source,
                attempts,
                outcome.withoutText(),
                deliveryNanos,
                names);
    }

    /** What log lines call the outcome. */
    String outcomeName() {
        return outcome.getClass().getSimpleName();
    }

    /** Whether the event has ended, and later ones of its key may follow. */
    boolean letsOthersFollow() {
        return outcome instanceof Outcome.Done || (outcome instanceof Outcome.Dead dead && !dead.holdsKey());
    }

    /** Names the event. */
    @Override
    public String toString() {
        return names.of(eventId, aggregateType, eventType, tenantId);
    }
}
