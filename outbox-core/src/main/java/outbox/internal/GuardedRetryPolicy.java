package outbox.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.RetryPolicy;

/** Asks a policy and keeps what that throws away from the events: a policy that fails is no second failure of the event. */
public final class GuardedRetryPolicy implements RetryPolicy {

    private static final Logger LOG = SafeLog.of(GuardedRetryPolicy.class);

    private final RetryPolicy policy;

    /** Guards the given policy. */
    public GuardedRetryPolicy(RetryPolicy policy) {
        this.policy = policy;
    }

    /** As the policy says, never negative; the longest default delay if it fails. */
    @Override
    public long computeDelayMs(int attempts) {
        try {
            return Math.max(0, policy.computeDelayMs(attempts));
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "RetryPolicy failed for attempt " + attempts + ", using the longest default delay", e);
            return ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS;
        }
    }
}
