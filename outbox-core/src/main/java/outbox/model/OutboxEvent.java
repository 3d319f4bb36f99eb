package outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the outbox table, as far as delivery needs it.
 *
 * @param payloadJson the payload; of an event whose payload is bytes a text that says so, see {@link outbox.EventEnvelope#isBinary()}
 * @param attempts how many deliveries have failed so far
 * @param createdAt when the event occurred
 * @param bytesPayload the payload of an event whose payload is bytes; null for all others
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
        Instant createdAt,
        @Nullable BytesPayload bytesPayload) {

    /** A row whose payload is text. */
    public OutboxEvent(
            String eventId,
            String eventType,
            @Nullable String aggregateType,
            @Nullable String aggregateId,
            @Nullable String tenantId,
            String payloadJson,
            @Nullable String headersJson,
            int attempts,
            Instant createdAt) {
        this(
                eventId,
                eventType,
                aggregateType,
                aggregateId,
                tenantId,
                payloadJson,
                headersJson,
                attempts,
                createdAt,
                null);
    }

    /** The same row with its bytes. */
    public OutboxEvent with(BytesPayload bytes) {
        return new OutboxEvent(
                eventId,
                eventType,
                aggregateType,
                aggregateId,
                tenantId,
                payloadJson,
                headersJson,
                attempts,
                createdAt,
                bytes);
    }

    /** Identifies the event, in one line, without showing its payload or headers. */
    @Override
    public String toString() {
        String names = eventId + ", " + aggregateType + "/" + eventType;
        return "OutboxEvent[" + names.replaceAll("\\R", "\\\\n") + ", attempts=" + attempts + "]";
    }
}
