package outbox.testsupport;

import java.time.Instant;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent;
import outbox.model.OutboxEvent;

/** Events that differ in nothing but their id. */
public final class Events {

    public static final String TYPE = "UserCreated";
    public static final Instant CREATED_AT = Instant.parse("2026-01-01T00:00:00Z");

    private Events() {}

    public static EventEnvelope event(String id) {
        return EventEnvelope.builder(TYPE)
                .eventId(id)
                .occurredAt(CREATED_AT)
                .payloadJson("{}")
                .build();
    }

    public static QueuedEvent hot(String id) {
        return hot(id, 0);
    }

    public static QueuedEvent hot(String id, int attempts) {
        return new QueuedEvent(event(id), QueuedEvent.Source.HOT, attempts);
    }

    public static QueuedEvent cold(String id) {
        return new QueuedEvent(event(id), QueuedEvent.Source.COLD, 0);
    }

    public static OutboxEvent row(String id) {
        return row(id, null, 0);
    }

    public static OutboxEvent row(String id, String headersJson, int attempts) {
        return new OutboxEvent(id, TYPE, "__GLOBAL__", null, null, "{}", headersJson, attempts, CREATED_AT);
    }
}
