package outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.HeaderProvider;
import outbox.internal.outcome.Hold;
import outbox.internal.payload.PayloadTransforms;

/** A delivery that is under way, as its listener sees it. */
final class RunningDelivery implements Delivery {

    private final Passed passed;
    private final Call call;
    private final @Nullable Hold hold;
    private final Surroundings surroundings;
    private final Instant startedAt;
    private final long startNanos;

    /** As it was written, once it has been restored. */
    private volatile EventEnvelope event;

    private volatile boolean unreadable;

    /**
     * What the listener may want to know.
     *
     * @param now the time by the clock of this process
     * @param transforms what was made of the payload on its way into the table
     */
    record Surroundings(
            DeliveryLookups lookups, Supplier<Instant> now, CarriedHeaders headers, PayloadTransforms transforms) {

        /** Headers carry nothing, and payloads lie in the table as they are. */
        Surroundings(DeliveryLookups lookups, Supplier<Instant> now) {
            this(lookups, now, CarriedHeaders.NONE, PayloadTransforms.NONE);
        }
    }

    /** @param hold under which it is delivered; null if it is not leased */
    RunningDelivery(Passed passed, Call call, @Nullable Hold hold, Surroundings surroundings) {
        this.event = passed.event().envelope();
        this.passed = passed;
        this.call = call;
        this.hold = hold;
        this.surroundings = surroundings;
        this.startedAt = surroundings.now.get();
        this.startNanos = System.nanoTime();
    }

    /** The same event once more, in a call of its own. */
    RunningDelivery within(Call other) {
        RunningDelivery again = new RunningDelivery(passed, other, hold, surroundings);
        again.event = event;
        return again;
    }

    /** Undoes what was made of the payload on its way into the table. Returns what went wrong, or null. */
    @Nullable
    Throwable restore() {
        try {
            if (event.isBinary()) {
                event = surroundings.transforms.restore(event);
            }
            return null;
        } catch (Throwable e) {
            unreadable = true;
            return e;
        }
    }

    /** Whether its payload could not be restored, so that nobody was called. */
    boolean isUnreadable() {
        return unreadable;
    }

    Passed passed() {
        return passed;
    }

    QueuedEvent queued() {
        return passed.event();
    }

    Call call() {
        return call;
    }

    @Nullable
    Hold hold() {
        return hold;
    }

    long nanos() {
        return System.nanoTime() - startNanos;
    }

    @Override
    public EventEnvelope event() {
        return event;
    }

    @Override
    public int attempt() {
        return queued().attempts() + 1;
    }

    @Override
    public Instant startedAt() {
        return startedAt;
    }

    @Override
    public String table() {
        return surroundings.lookups.table();
    }

    @Override
    public Optional<Instant> deadline() {
        return Optional.ofNullable(call.left())
                .map(left -> surroundings.now.get().plus(left));
    }

    @Override
    public boolean extendDeadline(Duration fromNow) {
        return call.extend(fromNow);
    }

    @Override
    public boolean isStillOwner() {
        return call.runs() && (hold == null || hold.isCertain());
    }

    @Override
    public OptionalLong fencingToken() {
        return surroundings.lookups.fencingToken(eventId());
    }

    @Override
    public OptionalLong sequence() {
        return surroundings.lookups.sequence(eventId());
    }

    @Override
    public HeaderProvider.Scope restoreHeaders() {
        return surroundings.headers.restore(event());
    }

    @Override
    public String toString() {
        return "Delivery[" + eventId() + ", attempt " + attempt() + "]";
    }
}
