package outbox.testing;

import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.ErrorText;
import outbox.internal.text.RowWords;
import outbox.model.EventRoute;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.OrderedStore;

/**
 * A row of the table in memory. Its static methods are what can become of a row's state.
 *
 * @param seq the order of the inserts
 * @param visible whether the transaction that inserted it has committed
 */
record StoredRow(OutboxEvent event, StoredEvent state, long seq, boolean visible) {

    StoredRow with(UnaryOperator<StoredEvent> change) {
        StoredEvent changed = change.apply(state);
        OutboxEvent counted = new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.payloadJson(),
                event.headersJson(),
                changed.attempts(),
                event.createdAt(),
                event.bytesPayload());
        return new StoredRow(counted, changed, seq, visible);
    }

    StoredRow shown() {
        return new StoredRow(event, state, seq, true);
    }

    boolean isPending() {
        return state.status() == EventStatus.NEW || state.status() == EventStatus.RETRY;
    }

    boolean isDead() {
        return visible && state.status() == EventStatus.DEAD;
    }

    /** Whether later events of its key must wait for it. */
    boolean isUnfinished() {
        return isPending() || holdsKey();
    }

    boolean holdsKey() {
        return isDead() && OrderedStore.KEY_HELD.equals(state.lockedBy());
    }

    boolean hasKey() {
        return event.aggregateType() != null && event.aggregateId() != null;
    }

    boolean hasSameKeyAs(StoredRow other) {
        return hasKey()
                && Objects.equals(event.aggregateType(), other.event.aggregateType())
                && Objects.equals(event.aggregateId(), other.event.aggregateId());
    }

    boolean isOneOf(Set<EventRoute> routes) {
        return !routes.isEmpty() && routes.contains(EventRoute.of(event.aggregateType(), event.eventType()));
    }

    boolean isHeldBy(String ownerId) {
        return isPending() && ownerId.equals(state.lockedBy());
    }

    /** Whether nobody holds it whose lock is of the given time or newer. */
    boolean isFree(Instant lockExpiry) {
        return state.lockedAt() == null || state.lockedAt().isBefore(lockExpiry);
    }

    static StoredEvent done(StoredEvent state, Instant at) {
        return new StoredEvent(
                state.eventId(),
                EventStatus.DONE,
                state.attempts(),
                state.availableAt(),
                state.createdAt(),
                at,
                state.lastError(),
                null,
                null);
    }

    static StoredEvent retried(StoredEvent state, Instant nextAt, String error) {
        return retried(state, state.attempts() + 1, nextAt, ErrorText.limit(error));
    }

    static StoredEvent putOff(StoredEvent state, Instant nextAt, String error) {
        return retried(state, state.attempts(), nextAt, ErrorText.limit(error));
    }

    static StoredEvent retried(StoredEvent state, int attempts, Instant nextAt, @Nullable String error) {
        return new StoredEvent(
                state.eventId(), EventStatus.RETRY, attempts, nextAt, state.createdAt(), null, error, null, null);
    }

    /** With an error, or null to keep the one that is there. */
    static StoredEvent dead(StoredEvent state, Instant at, @Nullable String error) {
        return dead(state, at, error, false);
    }

    static StoredEvent dead(StoredEvent state, Instant at, @Nullable String error, boolean holdsKey) {
        return new StoredEvent(
                state.eventId(),
                EventStatus.DEAD,
                state.attempts(),
                state.availableAt(),
                state.createdAt(),
                at,
                error == null
                        ? Objects.requireNonNullElse(state.lastError(), LeaseStore.USED_UP)
                        : ErrorText.limit(error),
                holdsKey ? OrderedStore.KEY_HELD : null,
                null);
    }

    static StoredEvent locked(StoredEvent state, @Nullable String owner, @Nullable Instant at) {
        return new StoredEvent(
                state.eventId(),
                state.status(),
                state.attempts(),
                state.availableAt(),
                state.createdAt(),
                state.doneAt(),
                state.lastError(),
                owner,
                at);
    }

    /** What is held against an event whose row a claim is about to take; null if nothing is. */
    @Nullable
    Suspicion suspicion(String owner) {
        Suspicion before = RowWords.suspicion(state.lastError());
        if (state.lockedAt() == null || owner.equals(state.lockedBy())) {
            return before;
        }
        return new Suspicion(before == null ? 0 : before.crashes(), false);
    }

    /** Locked like any other if it is free; one whose lock has expired under another owner is a suspect. */
    static StoredEvent takenOver(StoredEvent state, String owner, Instant at) {
        boolean free = state.lockedAt() == null || owner.equals(state.lockedBy());
        Suspicion before = RowWords.suspicion(state.lastError());
        String error =
                free ? state.lastError() : RowWords.expired(before == null ? 0 : before.crashes(), state.lockedBy());
        return suspected(locked(state, owner, at), state.attempts(), error);
    }

    /** With another number of attempts and another error. */
    static StoredEvent suspected(StoredEvent state, int attempts, @Nullable String error) {
        return new StoredEvent(
                state.eventId(),
                state.status(),
                attempts,
                state.availableAt(),
                state.createdAt(),
                state.doneAt(),
                error,
                state.lockedBy(),
                state.lockedAt());
    }
}
