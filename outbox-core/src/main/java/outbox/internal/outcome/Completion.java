package outbox.internal.outcome;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.text.EventNames;

/**
 * The end of a delivery, waiting to be recorded. Holds no payload: many of them may wait for long while the database is away.
 *
 * @param cold whether a poller had found the event
 * @param attempts how many deliveries had failed before this one
 * @param deliveryNanos how long interceptors and listener took; {@value #NOT_DELIVERED} if they were not called
 * @param names how log lines name it
 * @param hold under which the delivery began; null if the event was not leased
 * @param telling how the log tells of a failure; null if nothing was decided about that
 */
public record Completion(
        String eventId,
        String aggregateType,
        @Nullable String aggregateId,
        String eventType,
        @Nullable String tenantId,
        boolean cold,
        int attempts,
        Verdict outcome,
        long deliveryNanos,
        EventNames names,
        @Nullable Hold hold,
        @Nullable Telling telling) {

    public static final long NOT_DELIVERED = -1;

    /**
     * The end of a delivery.
     *
     * @param cold whether a poller had found the event
     * @param deliveryNanos {@link #NOT_DELIVERED} if nobody was called
     */
    public static Completion of(
            EventEnvelope event, boolean cold, int attempts, Verdict outcome, long deliveryNanos, EventNames names) {
        return new Completion(
                event.eventId(),
                event.aggregateType(),
                event.aggregateId(),
                event.eventType(),
                event.tenantId(),
                cold,
                attempts,
                outcome,
                deliveryNanos,
                names,
                null,
                null);
    }

    /** The same end, under a lease. */
    public Completion under(@Nullable Hold lease) {
        return new Completion(
                eventId,
                aggregateType,
                aggregateId,
                eventType,
                tenantId,
                cold,
                attempts,
                outcome,
                deliveryNanos,
                names,
                lease,
                telling);
    }

    /** The same end, and how the log tells of it. */
    public Completion told(@Nullable Telling way) {
        return new Completion(
                eventId,
                aggregateType,
                aggregateId,
                eventType,
                tenantId,
                cold,
                attempts,
                outcome,
                deliveryNanos,
                names,
                hold,
                way);
    }

    /** The same end with no more of its error than every database takes. */
    Completion withoutText() {
        return new Completion(
                eventId,
                aggregateType,
                aggregateId,
                eventType,
                tenantId,
                cold,
                attempts,
                outcome.withoutText(),
                deliveryNanos,
                names,
                hold,
                telling);
    }

    /** What log lines call the outcome. */
    public String outcomeName() {
        return outcome.getClass().getSimpleName();
    }

    /** Whether the event has ended, and later ones of its key may follow. */
    public boolean letsOthersFollow() {
        return outcome instanceof Verdict.Done
                || outcome instanceof Verdict.Superseded
                || (outcome instanceof Verdict.Dead dead && !dead.holdsKey());
    }

    /** Names the event. */
    @Override
    public String toString() {
        return names.of(eventId, aggregateType, eventType, tenantId);
    }
}
