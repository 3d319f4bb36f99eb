package outbox.inbox;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What happened to an event that arrived.
 *
 * @param outcome the kind of result
 * @param retryIn with {@link Outcome#IN_PROGRESS}: after what time it makes sense to deliver the event again, if known: when the lease
 *     expires or the retry is due
 * @param failure with {@link Outcome#FAILED}: what the handler threw
 */
public record ConsumeResult(
        Outcome outcome,
        @Nullable Duration retryIn,
        @Nullable Throwable failure) {

    /** The kinds of result. */
    public enum Outcome {
        /** The handler has run, and its work is committed. Acknowledge the event. */
        HANDLED,
        /** The event had been handled before; the handler did not run. Acknowledge the event. */
        REPLAYED,
        /**
         * Somebody else is handling the event, or it has failed and its retry is not due. Do not acknowledge it: it must be delivered again.
         */
        IN_PROGRESS,
        /** The handler failed and its work was rolled back. Only in the results of a batch; a single event's failure is thrown. */
        FAILED
    }

    static final ConsumeResult HANDLED = new ConsumeResult(Outcome.HANDLED, null, null);
    static final ConsumeResult REPLAYED = new ConsumeResult(Outcome.REPLAYED, null, null);

    public ConsumeResult {
        Objects.requireNonNull(outcome, "outcome");
    }

    static ConsumeResult inProgress(@Nullable Duration retryIn) {
        return new ConsumeResult(Outcome.IN_PROGRESS, retryIn, null);
    }

    static ConsumeResult failed(Throwable failure) {
        return new ConsumeResult(Outcome.FAILED, null, failure);
    }

    public boolean handled() {
        return outcome == Outcome.HANDLED;
    }

    public boolean replayed() {
        return outcome == Outcome.REPLAYED;
    }

    public boolean inProgress() {
        return outcome == Outcome.IN_PROGRESS;
    }

    public boolean failed() {
        return outcome == Outcome.FAILED;
    }

    /** Whether nothing is left to do, so that the sender may forget the event. */
    public boolean done() {
        return handled() || replayed();
    }
}
