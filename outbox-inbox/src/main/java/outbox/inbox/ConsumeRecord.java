package outbox.inbox;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer group has done with an event. All times are the database's.
 *
 * @param consumerGroup the group
 * @param eventId the event
 * @param eventType its type
 * @param tenantId its tenant
 * @param status its state
 * @param lockedBy the attempt that is handling it, or was the last to do so
 * @param lockedUntil when the lease expires
 * @param nextRetryAt when the next retry is due; null if the event is exhausted
 * @param retryCount how often it has failed
 * @param errorMsg why it failed the last time
 * @param processedAt when it was handled
 * @param createdAt when it arrived first
 * @param updatedAt when the record changed last
 */
public record ConsumeRecord(
        String consumerGroup,
        String eventId,
        String eventType,
        @Nullable String tenantId,
        ConsumeStatus status,
        @Nullable String lockedBy,
        @Nullable Instant lockedUntil,
        @Nullable Instant nextRetryAt,
        int retryCount,
        @Nullable String errorMsg,
        @Nullable Instant processedAt,
        Instant createdAt,
        Instant updatedAt) {

    /** Whether the event has failed more often than it may be retried. It is handled again only when it is delivered or replayed. */
    public boolean exhausted() {
        return status == ConsumeStatus.FAILED && nextRetryAt == null;
    }
}
