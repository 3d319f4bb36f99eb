package outbox.dispatch;

import outbox.RetryDelays;

/** Decides how long a failed event waits. Must be thread-safe. */
@FunctionalInterface
public interface RetryPolicy extends RetryDelays {

    /**
     * The delay before the next delivery.
     *
     * @param attempts how many deliveries have failed, the last one included: 1 after the first failure
     */
    @Override
    long computeDelayMs(int attempts);
}
