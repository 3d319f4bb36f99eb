package outbox.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.spi.ConsumeFailures;

/**
 * Shows what a table of consume records has that could not be handled: gauges with the tag {@code table}.
 *
 * <table>
 * <caption>Gauges</caption>
 * <tr><th>name</th><th>meaning</th></tr>
 * <tr><td>{@code outbox.consume.failed.count}</td><td>events whose last attempt failed</td></tr>
 * <tr><td>{@code outbox.consume.exhausted.count}</td><td>those of them without a retry left</td></tr>
 * <tr><td>{@code outbox.consume.retries.max}</td><td>how often the one has failed that has failed most often</td></tr>
 * <tr><td>{@code outbox.consume.failed.at.least}</td><td>1 if there are more than were counted, because counting stopped at the limit; 0 if the
 * numbers are exact</td></tr>
 * </table>
 *
 * <p>The table is read on a thread of its own, after each interval, with one statement for all of them, and never because somebody reads the
 * gauges. They are NaN before the first count, and after one that failed.
 *
 * <p>Thread-safe. Nothing happens before {@link #start()}.
 */
public final class ConsumeGauges implements AutoCloseable {

    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(15);
    public static final int DEFAULT_LIMIT = 10_000;

    private static final Logger LOG = SafeLog.of(ConsumeGauges.class);

    private final ConsumeFailures.Source failures;
    private final String table;
    private final int limit;
    private final OwnedMeters meters;
    private final PeriodicTask task;
    private volatile @Nullable ConsumeFailures last;

    private ConsumeGauges(Builder builder) {
        this.failures = required(builder.failures, "failures");
        this.table = required(builder.table, "table");
        this.limit = builder.limit;
        this.task = new PeriodicTask(
                "ConsumeGauges", ThreadNames.prefix("consume-gauges", table), () -> builder.interval, this::look);
        this.meters = new OwnedMeters(required(builder.registry, "registry"));
        try {
            gauge("outbox.consume.failed.count", "Events whose last attempt failed", found -> upTo(found.failed()));
            gauge(
                    "outbox.consume.exhausted.count",
                    "Failed events without a retry left",
                    found -> upTo(found.exhausted()));
            gauge(
                    "outbox.consume.retries.max",
                    "How often the event has failed that has failed most often",
                    ConsumeFailures::largestRetryCount);
            gauge(
                    "outbox.consume.failed.at.least",
                    "1 if more have failed than were counted",
                    found -> found.failed() > limit ? 1 : 0);
        } catch (RuntimeException e) {
            meters.remove();
            throw e;
        }
    }

    /** Starts building gauges. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts counting, at once and then after each interval. Starting twice is harmless.
     *
     * @throws IllegalStateException after {@link #close()}
     */
    public void start() {
        task.start();
    }

    /** Stops counting and removes the gauges from the registry. Closing twice is harmless. */
    @Override
    public void close() {
        task.close();
        meters.remove();
    }

    /** One more than the limit is counted: that tells whether there are more. */
    void look() {
        try {
            last = failures.count(limit == Integer.MAX_VALUE ? limit : limit + 1);
        } catch (RuntimeException e) {
            last = null;
            LOG.log(
                    Level.WARNING,
                    "Cannot count the failed events of table " + table + "; the next run will try again",
                    LoggedError.of(e));
        }
    }

    private double upTo(int counted) {
        return Math.min(counted, limit);
    }

    private void gauge(String name, String description, ToDoubleFunction<ConsumeFailures> value) {
        meters.register(Gauge.builder(name, this, gauges -> gauges.read(value))
                .description(description)
                .tag("table", table)
                .strongReference(true)::register);
    }

    private double read(ToDoubleFunction<ConsumeFailures> value) {
        ConsumeFailures known = last;
        return known == null ? Double.NaN : value.applyAsDouble(known);
    }

    private static <T> T required(@Nullable T value, String name) {
        return Objects.requireNonNull(value, name + " is required");
    }

    /** Builds gauges. {@code registry}, {@code failures} and {@code table} are required. */
    public static final class Builder {

        private @Nullable MeterRegistry registry;
        private ConsumeFailures.@Nullable Source failures;
        private @Nullable String table;
        private Duration interval = DEFAULT_INTERVAL;
        private int limit = DEFAULT_LIMIT;

        private Builder() {}

        /** Where the gauges are registered. Required. */
        public Builder registry(MeterRegistry registry) {
            this.registry = registry;
            return this;
        }

        /** Who counts: {@code inbox.records()::countFailures}. Required. */
        public Builder failures(ConsumeFailures.Source failures) {
            this.failures = failures;
            return this;
        }

        /**
         * The value of the tag {@code table}, usually the name of the table with the records. Required.
         *
         * @throws IllegalArgumentException if it is blank
         */
        public Builder table(String table) {
            if (Objects.requireNonNull(table, "table").isBlank()) {
                throw new IllegalArgumentException("table must not be blank, was \"" + table + "\"");
            }
            this.table = table;
            return this;
        }

        /** The pause between two counts, positive. Default: 15 seconds. */
        public Builder interval(Duration interval) {
            if (interval.isZero() || interval.isNegative()) {
                throw new IllegalArgumentException("interval must be positive, was " + interval);
            }
            this.interval = interval;
            return this;
        }

        /** Where to stop counting, at least 1. Default: {@value #DEFAULT_LIMIT}. */
        public Builder limit(int limit) {
            if (limit < 1) {
                throw new IllegalArgumentException("limit must be >= 1, was " + limit);
            }
            this.limit = limit;
            return this;
        }

        /**
         * Makes the gauges; they are NaN before {@link ConsumeGauges#start()}.
         *
         * @throws NullPointerException if a required part is missing
         * @throws IllegalStateException if the registry already has such gauges for the table
         */
        public ConsumeGauges build() {
            return new ConsumeGauges(this);
        }
    }
}
