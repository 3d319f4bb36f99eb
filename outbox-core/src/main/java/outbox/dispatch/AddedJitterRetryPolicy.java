package outbox.dispatch;

import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import outbox.internal.check.Require;

/**
 * Doubles the delay with each failure up to a maximum, then adds a short random time so that events that failed together do not come
 * back together. By default 1 s, 2 s, 4 s, … 60 s, and up to 200 ms more.
 *
 * <p>Unlike {@link ExponentialBackoffRetryPolicy} it never waits less than the doubled delay, and may exceed the maximum by the jitter.
 * It is meant for {@value #DEFAULT_MAX_ATTEMPTS} attempts, which take about 20 minutes:
 *
 * <pre>{@code
 * OutboxDispatcher.builder()
 *         .retryPolicy(AddedJitterRetryPolicy.withDefaults())
 *         .maxAttempts(AddedJitterRetryPolicy.DEFAULT_MAX_ATTEMPTS)
 * }</pre>
 *
 * <p>Thread-safe if its random source is.
 */
public final class AddedJitterRetryPolicy implements RetryPolicy {

    /** The delay after the first failure, in milliseconds. */
    public static final long DEFAULT_BASE_DELAY_MS = 1_000;
    /** The longest delay before jitter, in milliseconds. */
    public static final long DEFAULT_MAX_DELAY_MS = 60_000;
    /** The longest time that is added, in milliseconds. */
    public static final long DEFAULT_MAX_JITTER_MS = 200;
    /** What to give to {@link OutboxDispatcher.Builder#maxAttempts(int)} beside this policy; the policy itself does not count. */
    public static final int DEFAULT_MAX_ATTEMPTS = 25;

    private final long baseDelayMs;
    private final long maxDelayMs;
    private final long maxJitterMs;
    private final DoubleSupplier random;

    /** Creates a policy with times in milliseconds. */
    public AddedJitterRetryPolicy(long baseDelayMs, long maxDelayMs, long maxJitterMs) {
        this(
                baseDelayMs,
                maxDelayMs,
                maxJitterMs,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    /**
     * Creates a policy with a random source of its own, which yields numbers from 0 (inclusive) to 1 (exclusive).
     *
     * @throws IllegalArgumentException if a time is negative, or the longest delay is shorter than the first
     */
    public AddedJitterRetryPolicy(long baseDelayMs, long maxDelayMs, long maxJitterMs, DoubleSupplier random) {
        this.baseDelayMs = Require.atLeast(0, baseDelayMs, "baseDelayMs");
        this.maxDelayMs = Require.atLeast(0, maxDelayMs, "maxDelayMs");
        this.maxJitterMs = Require.atLeast(0, maxJitterMs, "maxJitterMs");
        this.random = Objects.requireNonNull(random, "random");
        if (maxDelayMs < baseDelayMs) {
            throw new IllegalArgumentException(
                    "maxDelayMs must be >= baseDelayMs, was " + maxDelayMs + " with a baseDelayMs of " + baseDelayMs);
        }
    }

    /** The policy with all its defaults. */
    public static AddedJitterRetryPolicy withDefaults() {
        return new AddedJitterRetryPolicy(DEFAULT_BASE_DELAY_MS, DEFAULT_MAX_DELAY_MS, DEFAULT_MAX_JITTER_MS);
    }

    @Override
    public long computeDelayMs(int attempts) {
        if (attempts <= 0) {
            return 0;
        }
        long delay = Doubling.delayMs(baseDelayMs, maxDelayMs, attempts);
        long jitter = jitterMs();
        return delay > Long.MAX_VALUE - jitter ? Long.MAX_VALUE : delay + jitter;
    }

    /** Both ends are possible. A random source that leaves its range must not lead to a delay outside of ours. */
    private long jitterMs() {
        long jitter = (long) (random.getAsDouble() * (maxJitterMs + 1.0));
        return Math.max(0, Math.min(maxJitterMs, jitter));
    }
}
