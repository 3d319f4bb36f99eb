package outbox.model;

import org.jspecify.annotations.Nullable;

/**
 * A key whose events wait because one of them has failed.
 *
 * @param eventId the event that the others wait for
 * @param status of that event: RETRY if it will be tried again, DEAD if somebody must replay or discard it
 * @param attempts how many of its deliveries have failed
 * @param lastError why the last one failed
 * @param waiting how many events of the key wait behind it
 */
public record BlockedKey(
        @Nullable String aggregateType,
        String aggregateId,
        String eventId,
        EventStatus status,
        int attempts,
        @Nullable String lastError,
        int waiting) {}
