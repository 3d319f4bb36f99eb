package outbox.spi;

import java.time.Duration;

/** Receives as numbers what becomes of events that arrive. Called from many threads; must be quick. Every method may be left out. */
public interface ConsumeMetrics {

    /** Ignores everything. */
    ConsumeMetrics NOOP = new ConsumeMetrics() {};

    /** A consumer got the right to handle an event. */
    default void incrementAcquired(String consumerGroup) {}

    /** An event arrived that had been handled before. */
    default void incrementReplayed(String consumerGroup) {}

    /** An event arrived that somebody else was handling, or that has failed and whose retry is not due. */
    default void incrementInProgress(String consumerGroup) {}

    /** A handler failed; the event is to be retried. */
    default void incrementFailed(String consumerGroup) {}

    /** A handler failed and the event has no retries left. */
    default void incrementExhausted(String consumerGroup) {}

    /** A consumer's work was rolled back because another one had taken the event over. */
    default void incrementLeaseLost(String consumerGroup) {}

    /** How long a handler took, whatever came of it. */
    default void recordHandlerLatency(String consumerGroup, Duration latency) {}
}
