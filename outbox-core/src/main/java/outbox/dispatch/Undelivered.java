package outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.outcome.Verdict;
import outbox.internal.text.RowWords;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.OrderedStore.AggregateKey;

/** Knows which events must not be delivered although their turn has come: suspects, those whose earlier call has not ended, and those that are too old. Thread-safe. */
final class Undelivered {

    /** After which an event is looked at again whose earlier call has not ended. */
    private static final Duration CALL_MAY_END_WITHIN = Duration.ofSeconds(5);

    private final Predicate<QueuedEvent> hasKey;
    private final Predicate<QueuedEvent> holdsKeyWhenDead;
    private final Supplier<Instant> now;
    private final StillRunning stillRunning = new StillRunning();

    /**
     * @param hasKey whether others may have to wait for the event
     * @param holdsKeyWhenDead whether they must wait for a person if it ends
     */
    Undelivered(Predicate<QueuedEvent> hasKey, Predicate<QueuedEvent> holdsKeyWhenDead, Supplier<Instant> now) {
        this.hasKey = hasKey;
        this.holdsKeyWhenDead = holdsKeyWhenDead;
        this.now = now;
    }

    /** What becomes of the event without calling its listener; null if that is to be called. */
    @Nullable
    Verdict verdict(Passed passed, @Nullable Suspicion suspicion) {
        QueuedEvent event = passed.event();
        ListenerGate gate = passed.gate();
        if (suspicion != null) {
            Verdict verdict = gate.verdicts().onSuspicion(suspicion, () -> holdsKeyWhenDead.test(event));
            if (verdict != null) {
                return verdict;
            }
        }
        if (stillRunning.keeps(event.envelope().eventId(), keyOf(event))) {
            return suspicion == null
                    ? gate.verdicts().later(CALL_MAY_END_WITHIN, RowWords.CALL_NOT_ENDED)
                    : new Verdict.Postponed(CALL_MAY_END_WITHIN, suspicion.crashes());
        }
        Duration expiry = gate.expiry();
        return expiry != null && isOlderThan(event.envelope(), expiry)
                ? new Verdict.Dead(RowWords.tooOld(expiry), holdsKeyWhenDead.test(event))
                : null;
    }

    private boolean isOlderThan(EventEnvelope event, Duration age) {
        return Duration.between(event.occurredAt(), now.get()).compareTo(age) > 0;
    }

    /** A call of this event is given up: neither the event nor others of its key are delivered here before {@link #cameBack}. */
    void givenUp(QueuedEvent event) {
        stillRunning.add(event.envelope().eventId(), keyOf(event));
    }

    /** That call has ended after all; this may be told first. */
    void cameBack(QueuedEvent event) {
        stillRunning.remove(event.envelope().eventId(), keyOf(event));
    }

    private @Nullable AggregateKey keyOf(QueuedEvent event) {
        return hasKey.test(event)
                ? AggregateKey.of(
                        event.envelope().aggregateType(), event.envelope().aggregateId())
                : null;
    }
}
