package outbox.domain;

import java.time.Duration;
import outbox.dispatch.RetryPolicy;

/** How long and how often a relay tries. */
record RelayLimits(Duration lease, RetryPolicy retryPolicy, int maxAttempts) {}
