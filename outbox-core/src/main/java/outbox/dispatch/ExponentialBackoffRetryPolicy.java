package outbox.dispatch;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import outbox.internal.check.Require;

/**
 * Doubles the delay with each failure up to a maximum, then spreads it by a random factor between 0.5 and 1.5 so that events
 * that failed together do not come back together. No delay exceeds the maximum.
 */
public final class ExponentialBackoffRetryPolicy implements RetryPolicy {

    /** The dispatcher's default delay after the first failure, in milliseconds. */
    public static final long DEFAULT_BASE_DELAY_MS = 200;
    /** The dispatcher's default longest delay, in milliseconds. */
    public static final long DEFAULT_MAX_DELAY_MS = 60_000;

    private final long baseDelayMs;
    private final long maxDelayMs;
    private final DoubleSupplier random;

    /** Creates a policy with delays in milliseconds. */
    public ExponentialBackoffRetryPolicy(long baseDelayMs, long maxDelayMs) {
        this(baseDelayMs, maxDelayMs, () -> ThreadLocalRandom.current().nextDouble());
    }

    /** Creates a policy with a random source of its own, which yields numbers from 0 (inclusive) to 1 (exclusive). */
    public ExponentialBackoffRetryPolicy(long baseDelayMs, long maxDelayMs, DoubleSupplier random) {
        this.baseDelayMs = Require.atLeast(0, baseDelayMs, "baseDelayMs");
        this.maxDelayMs = Require.atLeast(0, maxDelayMs, "maxDelayMs");
        this.random = random;
    }

    @Override
    public long computeDelayMs(int attempts) {
        if (attempts <= 0) {
            return 0;
        }
        double jitter = 0.5 + random.getAsDouble();
        return Math.min(maxDelayMs, Math.round(Doubling.delayMs(baseDelayMs, maxDelayMs, attempts) * jitter));
    }
}
