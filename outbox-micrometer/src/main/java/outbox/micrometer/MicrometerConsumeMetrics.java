package outbox.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Objects;
import outbox.spi.ConsumeMetrics;

/**
 * Exports the numbers of the consumer's side to a Micrometer registry, under names that begin with a prefix ({@value #DEFAULT_PREFIX} by
 * default), each with the tag {@code group}:
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>type</th><th>meaning</th></tr>
 * <tr><td>{@code acquired}</td><td>counter</td><td>events that a consumer got to handle</td></tr>
 * <tr><td>{@code replayed}</td><td>counter</td><td>events that arrived again after they were handled</td></tr>
 * <tr><td>{@code in.progress}</td><td>counter</td><td>events that arrived while somebody else had them, or too early for a retry</td></tr>
 * <tr><td>{@code failed}</td><td>counter</td><td>failures that will be retried</td></tr>
 * <tr><td>{@code exhausted}</td><td>counter</td><td>failures without a retry left</td></tr>
 * <tr><td>{@code lease.lost}</td><td>counter</td><td>work rolled back because another consumer had taken the event over</td></tr>
 * <tr><td>{@code handler}</td><td>timer</td><td>how long handlers took</td></tr>
 * </table>
 *
 * <p>A group's meters exist from its first event on. Thread-safe.
 */
public final class MicrometerConsumeMetrics implements ConsumeMetrics {

    /** The prefix of names if none is given. */
    public static final String DEFAULT_PREFIX = "outbox.consume";

    private final MeterRegistry registry;
    private final String prefix;

    /** Metrics under the prefix {@value #DEFAULT_PREFIX}. */
    public MicrometerConsumeMetrics(MeterRegistry registry) {
        this(registry, DEFAULT_PREFIX);
    }

    /**
     * Metrics under a prefix of their own.
     *
     * @throws IllegalArgumentException if the prefix is blank
     */
    public MicrometerConsumeMetrics(MeterRegistry registry, String namePrefix) {
        this.registry = Objects.requireNonNull(registry, "registry");
        if (namePrefix.isBlank()) {
            throw new IllegalArgumentException("namePrefix must not be blank, was \"" + namePrefix + "\"");
        }
        this.prefix = namePrefix + ".";
    }

    @Override
    public void incrementAcquired(String consumerGroup) {
        count("acquired", consumerGroup);
    }

    @Override
    public void incrementReplayed(String consumerGroup) {
        count("replayed", consumerGroup);
    }

    @Override
    public void incrementInProgress(String consumerGroup) {
        count("in.progress", consumerGroup);
    }

    @Override
    public void incrementFailed(String consumerGroup) {
        count("failed", consumerGroup);
    }

    @Override
    public void incrementExhausted(String consumerGroup) {
        count("exhausted", consumerGroup);
    }

    @Override
    public void incrementLeaseLost(String consumerGroup) {
        count("lease.lost", consumerGroup);
    }

    @Override
    public void recordHandlerLatency(String consumerGroup, Duration latency) {
        registry.timer(prefix + "handler", "group", consumerGroup).record(latency);
    }

    /** The registry looks up an existing meter by name and tag. */
    private void count(String name, String consumerGroup) {
        registry.counter(prefix + name, "group", consumerGroup).increment();
    }
}
