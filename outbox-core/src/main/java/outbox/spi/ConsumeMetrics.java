package outbox.spi;

import java.time.Duration;

/** Receives what happens to incoming events as numbers. Called from many threads; must be quick. Every method is optional. */
public interface ConsumeMetrics {

    /** Ignores everything. */
    ConsumeMetrics NOOP = new ConsumeMetrics() {};

    /** A consumer got the right to handle an event. */
    default void incrementAcquired(String consumerGroup) {}

    /** An event arrived that had been handled before. */
    default void incrementReplayed(String consumerGroup) {}

    /** An event arrived that another consumer was handling, or that has failed and is not yet due for a retry. */
    default void incrementInProgress(String consumerGroup) {}

    /** A handler failed; the event is to be retried. */
    default void incrementFailed(String consumerGroup) {}

    /** A handler failed and the event has no retries left. */
    default void incrementExhausted(String consumerGroup) {}

    /** A consumer's work was rolled back because another one had taken the event over. */
    default void incrementLeaseLost(String consumerGroup) {}

    /** How long a handler took, whether it succeeded or not. */
    default void recordHandlerLatency(String consumerGroup, Duration latency) {}
}
