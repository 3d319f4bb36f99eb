package outbox.dispatch;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * The end of a delivery, waiting to be recorded. Holds no payload: many of them may wait for long while the database is away.
 *
 * @param attempts how many deliveries had failed before this one
 */
record Completion(
        String eventId,
        String aggregateType,
        @Nullable String aggregateId,
        String eventType,
        QueuedEvent.Source source,
        int attempts,
        Outcome outcome) {

    static Completion of(QueuedEvent event, Outcome outcome) {
        EventEnvelope envelope = event.envelope();
        return new Completion(
                envelope.eventId(),
                envelope.aggregateType(),
                envelope.aggregateId(),
                envelope.eventType(),
                event.source(),
                event.attempts(),
                outcome);
    }

    /** Whether the event has ended, and later ones of its key may follow. */
    boolean letsOthersFollow() {
        return outcome instanceof Outcome.Done || (outcome instanceof Outcome.Dead dead && !dead.holdsKey());
    }

    /** Names the event. */
    @Override
    public String toString() {
        return "Event " + eventId + " (" + aggregateType + "/" + eventType + ")";
    }
}
