package outbox.boot.listener;

import java.time.Duration;

/**
 * What holds for the listeners of an outbox that do not say otherwise.
 *
 * @param maxAttempts how many failures are the end
 * @param firstRetry how long to wait after the first failure
 * @param longestRetry the longest time to wait
 * @param workers how many threads call listeners
 * @param virtualThreads how many virtual threads each listener gets; 0 for none
 */
public record ListenerDefaults(
        int maxAttempts, Duration firstRetry, Duration longestRetry, int workers, int virtualThreads) {}
