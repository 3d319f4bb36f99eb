package outbox.testing;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import outbox.EventEnvelope;
import outbox.internal.payload.PayloadText;
import outbox.model.BytesPayload;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.util.JsonCodec;

/** What an insert makes of an event: a row that nobody has tried or sees yet. */
final class NewRow {

    private NewRow() {}

    static StoredRow of(EventEnvelope event, long seq, Clock clock) {
        return new StoredRow(eventOf(event), stateOf(event, clock), seq, false);
    }

    private static OutboxEvent eventOf(EventEnvelope event) {
        if (!event.isBinary() && event.payloadJson().equals(PayloadText.OF_BYTES)) {
            throw PayloadText.reserved(event);
        }
        return new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.isBinary() ? PayloadText.OF_BYTES : event.payloadJson(),
                JsonCodec.getDefault().toJson(event.headers()),
                0,
                storedTime(event),
                event.isBinary() ? BytesPayload.of(event.payloadBytes(), event.contentType()) : null);
    }

    private static StoredEvent stateOf(EventEnvelope event, Clock clock) {
        Instant availableAt = availableAt(event, clock);
        return new StoredEvent(
                event.eventId(), EventStatus.NEW, 0, availableAt, storedTime(event), null, null, null, null);
    }

    private static Instant availableAt(EventEnvelope event, Clock clock) {
        if (event.deliverAfter() != null) {
            return clock.instant().plus(event.deliverAfter()).truncatedTo(ChronoUnit.MICROS);
        }
        if (event.availableAt() != null) {
            return event.availableAt();
        }
        // Due at once, whatever the clock of the process that made it.
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        return storedTime(event).isBefore(now) ? storedTime(event) : now;
    }

    /** Tables keep microseconds, so tests should not see more either. */
    private static Instant storedTime(EventEnvelope event) {
        return event.occurredAt().truncatedTo(ChronoUnit.MICROS);
    }
}
