package outbox.inbox;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * A request to handle an event.
 *
 * @param tenantId the event's tenant, for people who read the record
 * @param consumerGroup who wants to handle it; groups are independent of each other
 * @param eventId which event
 * @param eventType its type, which must be the same each time
 * @param lockedBy identifies this attempt: different for each, even within one process
 * @param lockTtl how long the lease lasts
 */
public record AcquireConsumeCommand(
        @Nullable String tenantId,
        String consumerGroup,
        String eventId,
        String eventType,
        String lockedBy,
        Duration lockTtl) {

    public AcquireConsumeCommand {
        Objects.requireNonNull(consumerGroup, "consumerGroup");
        Objects.requireNonNull(eventId, "eventId");
        Objects.requireNonNull(eventType, "eventType");
        Objects.requireNonNull(lockedBy, "lockedBy");
        if (lockTtl.isNegative() || lockTtl.isZero()) {
            throw new IllegalArgumentException("lockTtl must be positive, was " + lockTtl);
        }
    }

    /** A request for the given event. */
    public static AcquireConsumeCommand of(
            String consumerGroup, EventEnvelope event, String lockedBy, Duration lockTtl) {
        return new AcquireConsumeCommand(
                event.tenantId(), consumerGroup, event.eventId(), event.eventType(), lockedBy, lockTtl);
    }
}
