package outbox.dispatch;

import outbox.EventEnvelope;

/**
 * The end of a delivery, waiting to be recorded. Holds no payload: many of them may wait for long while the database is away.
 *
 * @param attempts how many deliveries had failed before this one
 */
record Completion(
        String eventId,
        String aggregateType,
        String eventType,
        QueuedEvent.Source source,
        int attempts,
        Outcome outcome) {

    static Completion of(QueuedEvent event, Outcome outcome) {
        EventEnvelope envelope = event.envelope();
        return new Completion(
                envelope.eventId(),
                envelope.aggregateType(),
                envelope.eventType(),
                event.source(),
                event.attempts(),
                outcome);
    }

    /** Names the event. */
    @Override
    public String toString() {
        return "Event " + eventId + " (" + aggregateType + "/" + eventType + ")";
    }
}
