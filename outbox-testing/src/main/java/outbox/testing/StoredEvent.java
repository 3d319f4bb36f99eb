package outbox.testing;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;

/** The state of an event in a store, for assertions. */
public record StoredEvent(
        String eventId,
        EventStatus status,
        int attempts,
        Instant availableAt,
        Instant createdAt,
        @Nullable Instant doneAt,
        @Nullable String lastError,
        @Nullable String lockedBy,
        @Nullable Instant lockedAt) {}
