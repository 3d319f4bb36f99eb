package outbox;

/** Says how long a failed event waits; {@link outbox.dispatch.RetryPolicy} is one. Must be thread-safe. */
@FunctionalInterface
public interface RetryDelays {

    /**
     * Returns the delay before the next attempt, in milliseconds.
     *
     * @param attempts how many attempts have failed, at least 1
     */
    long computeDelayMs(int attempts);
}
