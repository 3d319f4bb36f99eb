package outbox;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** What was said about a {@link Listener}; what was not said is null, and as the outbox has it. Immutable once the listener is made. */
public final class ListenerSettings implements Cloneable {

    @Nullable
    String name;

    @Nullable
    RetryDelays retryPolicy;

    @Nullable
    Integer maxAttempts;

    @Nullable
    Duration expiry;

    @Nullable
    Duration timeout;

    @Nullable
    Integer concurrency;

    @Nullable
    RateLimit rateLimit;

    @Nullable
    ThreadFactory threads;

    @Nullable
    FailureClassifier classifier;

    @Nullable
    BreakerSettings breaker;

    int mostAbandoned = Listener.DEFAULT_MOST_ABANDONED;

    /**
     * How many deliveries may begin in a time.
     *
     * @param deliveries how many
     * @param per in which time
     */
    public record RateLimit(int deliveries, Duration per) {}

    ListenerSettings() {}

    ListenerSettings copy() {
        try {
            return (ListenerSettings) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** By what it is named in logs, meters and pauses. */
    public @Nullable String name() {
        return name;
    }

    /** How long a failed event waits. */
    public @Nullable RetryDelays retryPolicy() {
        return retryPolicy;
    }

    /** How many failures make an event DEAD. */
    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    /** From which age on an event is not worth delivering. */
    public @Nullable Duration expiry() {
        return expiry;
    }

    /** How long a delivery may take. */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** How many deliveries, or batches, may run at once. */
    public @Nullable Integer concurrency() {
        return concurrency;
    }

    /** How many deliveries may begin in a time. */
    public @Nullable RateLimit rateLimit() {
        return rateLimit;
    }

    /** Makes the threads on which it is called. */
    public @Nullable ThreadFactory threads() {
        return threads;
    }

    /** What failures mean. */
    public @Nullable FailureClassifier classifier() {
        return classifier;
    }

    /** When deliveries are suspended. */
    public @Nullable BreakerSettings breaker() {
        return breaker;
    }

    /** How many calls that did not end in time are left alone before the listener is paused. */
    public int mostAbandoned() {
        return mostAbandoned;
    }
}
