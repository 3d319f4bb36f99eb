package outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One delivery of an event, for a listener that wants to know more than the event itself. Valid until the delivery has ended. Thread-safe.
 *
 * <p>{@link #sequence()} and {@link #fencingToken()} ask the database each time; the rest costs nothing.
 */
public interface Delivery {

    /** The event that is delivered. */
    EventEnvelope event();

    /** The id of the event. */
    default String eventId() {
        return event().eventId();
    }

    /** The tenant of the event, if it has one. */
    default @Nullable String tenantId() {
        return event().tenantId();
    }

    /** When the event was created. */
    default Instant createdAt() {
        return event().occurredAt();
    }

    /** Which attempt this is: 1 for the first one. Deliveries that are not counted repeat a number. */
    int attempt();

    /** When this delivery began, by the clock of this process. */
    Instant startedAt();

    /** The table from which the event comes. */
    String table();

    /** When the listener's timeout ends this delivery, by the clock of this process; empty if it has no timeout. */
    Optional<Instant> deadline();

    /**
     * Moves the deadline: the listener has made progress and needs so much more time from now on. Without a timeout this changes nothing.
     *
     * @return whether the delivery still counts; false if its time was over before
     */
    boolean extendDeadline(Duration fromNow);

    /**
     * Whether this process certainly still has the right to deliver the event: its lease has not expired, and its time is not over. Reckoned
     * in memory, on the safe side. Always true without leases as long as the delivery lasts.
     */
    boolean isStillOwner();

    /**
     * A number that grows from one owner of the event to the next, by the database's clock: a receiver that remembers the largest one can
     * refuse a delivery by an owner that has lost its lease. Empty if the event is not leased, or this process has lost the lease.
     *
     * @throws OutboxException if the database cannot be asked
     */
    OptionalLong fencingToken();

    /**
     * Makes what the event carries for {@linkplain HeaderProvider header providers} current on this thread, until the scope is closed, on the same
     * thread. Around the call of a listener of single events that has been done; use this on other threads, and for each event of a batch.
     */
    default HeaderProvider.Scope restoreHeaders() {
        return HeaderProvider.Scope.NONE;
    }

    /**
     * Work for another thread, on which what the event carries is current while it runs:
     * {@code CompletableFuture.supplyAsync(delivery.withHeaders(() -> send(event)))}.
     */
    default <T extends @Nullable Object> Supplier<T> withHeaders(Supplier<T> work) {
        Objects.requireNonNull(work, "work");
        return () -> {
            HeaderProvider.Scope restored = restoreHeaders();
            try {
                return work.get();
            } finally {
                restored.close();
            }
        };
    }

    /**
     * The number that the database gave the event at its insert; empty if the table has none.
     *
     * @throws OutboxException if the database cannot be asked
     */
    OptionalLong sequence();
}
