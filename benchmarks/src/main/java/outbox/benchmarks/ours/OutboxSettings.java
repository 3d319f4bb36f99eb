package outbox.benchmarks.ours;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.benchmarks.candidate.Listening;

/**
 * How this project's outbox is set up; null leaves a setting at its default.
 *
 * @param workers threads that run listeners
 * @param queueCapacity of the hot and of the cold queue
 * @param pollBatch rows per poll
 * @param pollInterval between two polls
 * @param skipRecent how old a row must be for the poller to touch it
 * @param completionLinger how long outcomes gather before they are written together
 * @param deletes whether delivered events are deleted instead of marked
 * @param keys over how many aggregates the events are spread, each of whose events are delivered in order; 0 for no order
 * @param listening how it is listened to
 */
record OutboxSettings(
        @Nullable Integer workers,
        @Nullable Integer queueCapacity,
        @Nullable Integer pollBatch,
        @Nullable Duration pollInterval,
        @Nullable Duration skipRecent,
        @Nullable Duration completionLinger,
        boolean deletes,
        int keys,
        Listening listening) {

    /** Everything as it is documented. */
    static OutboxSettings defaults() {
        return new OutboxSettings(null, null, null, null, null, null, false, 0, Listening.ONE_BY_ONE);
    }

    /** For throughput. */
    static OutboxSettings tuned(boolean deletes) {
        return new OutboxSettings(
                8,
                10_000,
                500,
                Duration.ofMillis(20),
                Duration.ofSeconds(1),
                Duration.ofMillis(10),
                deletes,
                0,
                Listening.ONE_BY_ONE);
    }

    /** The same with other listeners. */
    OutboxSettings with(Listening other) {
        return new OutboxSettings(
                workers, queueCapacity, pollBatch, pollInterval, skipRecent, completionLinger, deletes, keys, other);
    }

    /** For throughput, in order. */
    static OutboxSettings ordered(int keys) {
        return new OutboxSettings(
                8,
                10_000,
                500,
                Duration.ofMillis(20),
                Duration.ofSeconds(1),
                Duration.ofMillis(10),
                false,
                keys,
                Listening.ONE_BY_ONE);
    }
}
