package outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the outbox table, as far as delivery needs it.
 *
 * @param attempts how many deliveries have failed so far
 * @param createdAt when the event occurred
 */
public record OutboxEvent(
        String eventId,
        String eventType,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String tenantId,
        String payloadJson,
        @Nullable String headersJson,
        int attempts,
        Instant createdAt) {

    /** Identifies the event, in one line, without showing its payload or headers. */
    @Override
    public String toString() {
        String names = eventId + ", " + aggregateType + "/" + eventType;
        return "OutboxEvent[" + names.replaceAll("\\R", "\\\\n") + ", attempts=" + attempts + "]";
    }
}
