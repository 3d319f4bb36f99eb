package outbox;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;

/**
 * An event that has ended DEAD, as a {@link DeadEventHandler} is told of it.
 *
 * @param eventType null if the row has none, which cannot be decoded then
 * @param aggregateType null if the row has none
 * @param error why: what stands in {@code last_error}
 * @param attempts how many deliveries were begun, the last one included
 * @param holdsKey whether later events of its key wait for a person
 * @param diedAt by the clock of the process that gave it up
 * @param row the row as it is when the handler is told, with payload and headers; null if it is not in the table any more
 */
public record DeadEvent(
        String eventId,
        @Nullable String eventType,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String tenantId,
        String error,
        int attempts,
        boolean holdsKey,
        Instant diedAt,
        @Nullable OutboxEvent row) {

    /** Checks that what every dead event has is there. */
    public DeadEvent {
        Objects.requireNonNull(eventId, "eventId");
        Objects.requireNonNull(error, "error");
        Objects.requireNonNull(diedAt, "diedAt");
    }

    /** The same, with its row. */
    public DeadEvent with(@Nullable OutboxEvent found) {
        return new DeadEvent(
                eventId, eventType, aggregateType, aggregateId, tenantId, error, attempts, holdsKey, diedAt, found);
    }

    /** Names the event, without its content and its error. */
    @Override
    public String toString() {
        String names = eventId + ", " + aggregateType + "/" + eventType + ", aggregateId=" + aggregateId;
        return "DeadEvent[" + names.replaceAll("\\R", "\\\\n") + "]";
    }
}
