package outbox;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a listener says has become of a delivery. One that returns nothing has done its work when it returns, and has failed when it throws;
 * one that returns an outcome can also say "later" and "never". Throwing means the same for both: a {@link FailureClassifier} tells what.
 */
public sealed interface Outcome {

    /** The event is delivered. */
    static Outcome done() {
        return Done.DONE;
    }

    /** Everything of a batch is delivered. */
    static List<Outcome> allDone(Collection<?> batch) {
        return Collections.nCopies(batch.size(), done());
    }

    /**
     * The delivery has failed, and is repeated when the retry policy says so.
     *
     * @param reason what is stored as the event's last error; no payload
     */
    static Outcome retry(String reason) {
        return new Retry(Objects.requireNonNull(reason, "reason"), null);
    }

    /** As {@link #retry(String)}, for an exception: its class and message are stored as those of an exception that is thrown. */
    static Outcome failed(Throwable failure) {
        return new Failed(failure);
    }

    /**
     * The delivery has failed, counts as an attempt, and is repeated after the given time, whatever the retry policy says.
     *
     * @throws IllegalArgumentException if the delay is negative or longer than a year
     */
    static Outcome retryAfter(Duration delay, String reason) {
        return new RetryAfter(delay, true, Objects.requireNonNull(reason, "reason"), null);
    }

    /**
     * The event is delivered again after the given time, and this delivery does not count as an attempt: the receiver has asked to wait,
     * or something that is not the event's fault is in the way.
     *
     * @throws IllegalArgumentException if the delay is negative or longer than a year
     */
    static Outcome later(Duration delay, String reason) {
        return new RetryAfter(delay, false, Objects.requireNonNull(reason, "reason"), null);
    }

    /** No other attempt would change anything: the event is DEAD, for the given reason, which is stored as its last error. */
    static Outcome dead(String reason) {
        return new Dead(Objects.requireNonNull(reason, "reason"), null);
    }

    /** The outcome as what would have been thrown instead; null if the event is delivered. */
    default @Nullable Throwable asFailure() {
        return null;
    }

    /** Delivered. */
    record Done() implements Outcome {
        private static final Done DONE = new Done();
    }

    /** Failed; the listener's classifier decides what that means. */
    record Failed(Throwable failure) implements Outcome {

        /** Without a failure it would mean the opposite. */
        public Failed {
            Objects.requireNonNull(failure, "failure");
        }

        @Override
        public Throwable asFailure() {
            return failure;
        }
    }

    /**
     * Failed; to be repeated when the retry policy says so.
     *
     * @param failure what has failed, if that is known
     */
    record Retry(String reason, @Nullable Throwable failure) implements Outcome {

        @Override
        public Throwable asFailure() {
            return new DeliveryFailedException(reason, failure);
        }
    }

    /**
     * To be repeated after a time of the listener's own choice.
     *
     * @param counted whether this delivery counts as an attempt
     * @param failure what has failed, if that is known
     */
    record RetryAfter(
            Duration delay,
            boolean counted,
            String reason,
            @Nullable Throwable failure) implements Outcome {

        private static final Duration LONGEST = Duration.ofDays(366);

        /** Refuses what no time can be reckoned from. */
        public RetryAfter {
            if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "delay must be between zero and " + LONGEST.toDays() + " days, was " + delay);
            }
        }

        @Override
        public Throwable asFailure() {
            return new RetryAfterException(delay, counted, reason, failure);
        }
    }

    /**
     * Never to be repeated.
     *
     * @param failure what has failed, if that is known
     */
    record Dead(String reason, @Nullable Throwable failure) implements Outcome {

        @Override
        public Throwable asFailure() {
            return new PermanentFailureException(reason, failure);
        }
    }
}
