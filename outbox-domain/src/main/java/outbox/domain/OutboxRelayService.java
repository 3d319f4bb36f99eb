package outbox.domain;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.config.OutboxSwitches;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.RetryPolicy;
import outbox.internal.check.Require;
import outbox.internal.outcome.StoreMarks;
import outbox.internal.text.StoredText;
import outbox.poller.OutboxPoller;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.util.JsonCodec;

/**
 * Publishes what waits in the table, batch by batch: claim, publish, mark. A failed event is published again after a pause, and ends DEAD
 * when its attempts are used up. Thread-safe. Several processes may relay from one table.
 *
 * <p>Call {@link #relayOnce} from a scheduler of your own, or {@link #start}. An {@link outbox.Outbox} with
 * {@link OutboxTransport#asListener()} as its default listener publishes sooner, in parallel and, if asked, in the order of each
 * aggregate; this service is for a process that decides itself when to publish, and how much.
 */
public final class OutboxRelayService implements AutoCloseable {

    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(1);
    public static final int DEFAULT_BATCH_SIZE = 100;
    public static final String DEFAULT_WORKER_ID = "local";
    public static final Duration DEFAULT_BASE_BACKOFF = Duration.ofSeconds(1);
    public static final Duration DEFAULT_MAX_BACKOFF = Duration.ofMinutes(5);

    /** What is added to the name must fit into the column, too. */
    static final int LONGEST_WORKER_ID = 48;

    private final boolean enabled;
    private final RelayRound demanded;
    private final RelayRound inTheBackground;
    private final OutboxPoller onDemand;
    private final OutboxPoller scheduled;

    private OutboxRelayService(Builder builder, RelaySettings settings) {
        this.enabled = builder.enabled;
        String owner = builder.workerId + ":" + ProcessHandle.current().pid() + ":" + UUID.randomUUID();
        this.demanded = new RelayRound(settings, owner, builder.batchSize);
        this.onDemand =
                settings.poller(owner, demanded).batchSize(Integer.MAX_VALUE).build();
        String scheduledOwner = owner + ":scheduled";
        this.inTheBackground = new RelayRound(settings, scheduledOwner, builder.batchSize);
        this.scheduled = settings.poller(scheduledOwner, inTheBackground)
                .batchSize(builder.batchSize)
                .intervalMs(Math.max(1, builder.interval.toMillis()))
                .build();
    }

    /** Starts building a relay. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Publishes up to a number of events that are due, oldest first, in the calling thread. A database that cannot be reached is logged,
     * not thrown. The outcomes of a batch are recorded together at its end; while the database cannot write they wait, at most until the
     * leases of the batch have expired. An interrupt ends the batch after the event that is being published, and the rest is released. Does
     * nothing after {@link #close()}, or if the relay is {@linkplain Builder#switches switched off}.
     *
     * @return how many were published
     * @throws IllegalArgumentException if the number is less than 1
     */
    public synchronized int relayOnce(int batchSize) {
        demanded.batchSize(Require.atLeast(1, batchSize, "batchSize"));
        if (enabled) {
            onDemand.poll();
        }
        return demanded.published();
    }

    /**
     * Starts relaying, at once and then after each interval; full batches follow each other without a pause. Starting twice is harmless.
     * Does nothing if the relay is {@linkplain Builder#switches switched off}: events wait in the table.
     *
     * @throws IllegalStateException after {@link #close()}
     * @throws outbox.OutboxException if the table lacks something the store needs; a database that cannot be reached is not an error
     */
    public void start() {
        if (enabled) {
            scheduled.start();
        }
    }

    /**
     * Stops after the event that is being published; the rest of its batch is released. Waits for the scheduled batch to end, at most
     * five seconds. Closing twice is harmless.
     */
    @Override
    public void close() {
        demanded.stop();
        inTheBackground.stop();
        onDemand.close();
        scheduled.close();
    }

    /** Builds a relay. {@code connectionProvider} and {@code outboxStore} are required. */
    public static final class Builder {

        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable OutboxStore outboxStore;
        private OutboxTransport transport = new LoggingOutboxTransport();
        private RetryPolicy retryPolicy =
                new ExponentialBackoffRetryPolicy(DEFAULT_BASE_BACKOFF.toMillis(), DEFAULT_MAX_BACKOFF.toMillis());
        private String workerId = DEFAULT_WORKER_ID;
        private int maxAttempts = OutboxDispatcher.DEFAULT_MAX_ATTEMPTS;
        private Duration lease = DEFAULT_LEASE;
        private Duration interval = DEFAULT_INTERVAL;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private CompletionMode completionMode = OutboxDispatcher.DEFAULT_COMPLETION_MODE;
        private boolean clearsErrors;
        private boolean enabled = true;
        private JsonCodec jsonCodec = JsonCodec.getDefault();
        private UnaryOperator<String> tenantInLogs = UnaryOperator.identity();
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private Clock clock = Clock.systemUTC();
        private LongSupplier nanoTime = System::nanoTime;

        private Builder() {}

        /** Where connections come from. Required. */
        public Builder connectionProvider(ConnectionProvider connections) {
            connectionProvider = connections;
            return this;
        }

        /** Where events wait. Required. */
        public Builder outboxStore(OutboxStore store) {
            outboxStore = store;
            return this;
        }

        /** Where events go. Default: a {@link LoggingOutboxTransport}, which only logs them. */
        public Builder transport(OutboxTransport outboxTransport) {
            transport = Objects.requireNonNull(outboxTransport, "transport");
            return this;
        }

        /** Names this process in its leases, in at most 48 characters; what makes it unique is added. Default: {@code local}. */
        public Builder workerId(String name) {
            if (name.isBlank() || name.length() > LONGEST_WORKER_ID) {
                throw new IllegalArgumentException(
                        "workerId must have 1 to " + LONGEST_WORKER_ID + " characters, was \"" + name + "\"");
            }
            StoredText.requireStorable("workerId", name);
            workerId = name;
            return this;
        }

        /**
         * Applies settings from configuration keys with a prefix, such as {@code shop.outbox.}: {@code relay.fixed-delay-ms},
         * {@code relay.batch-size}, {@code relay.worker-id} and {@code relay.lease-seconds}. One that is missing or blank changes nothing.
         * Anything set after this call wins.
         *
         * @throws IllegalArgumentException if a value is not valid for its key, or a key behind the prefix and {@code relay.} is unknown
         */
        public Builder configuration(Map<String, String> values, String prefix) {
            new RelayConfiguration(values, prefix).applyTo(this);
            return this;
        }

        /** How long a failed event waits before it is published again. Default: from 1 s, doubling, to 300 s. */
        public Builder retryPolicy(RetryPolicy policy) {
            retryPolicy = Objects.requireNonNull(policy, "retryPolicy");
            return this;
        }

        /** After how many failures an event is DEAD, at least 1. Default: {@link OutboxDispatcher#DEFAULT_MAX_ATTEMPTS}. */
        public Builder maxAttempts(int attempts) {
            maxAttempts = Require.atLeast(1, attempts, "maxAttempts");
            return this;
        }

        /**
         * How long claimed events are kept from other processes. Publishing stops after half of it, and the rest of the batch is released;
         * a single event must not take longer than the other half. Default: {@link #DEFAULT_LEASE}.
         */
        public Builder lease(Duration duration) {
            lease = requirePositive(duration, "lease");
            return this;
        }

        /** The pause between batches after {@link OutboxRelayService#start}; longer while idle, at most five seconds. Default: 1 s. */
        public Builder interval(Duration duration) {
            interval = requirePositive(duration, "interval");
            return this;
        }

        /** The size of batches once {@link OutboxRelayService#start} was called. Default: {@link #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int events) {
            batchSize = Require.atLeast(1, events, "batchSize");
            return this;
        }

        /** What becomes of the row of a published event. Default: {@link CompletionMode#MARK_DONE}. */
        public Builder completionMode(CompletionMode mode) {
            completionMode = Objects.requireNonNull(mode, "completionMode");
            return this;
        }

        /**
         * Clears the error of an earlier failure when the event is published after all, with the same statement that marks it DONE. Default: the
         * last error stays, for whoever wants to know why publishing took long.
         */
        public Builder clearErrorWhenDone() {
            clearsErrors = true;
            return this;
        }

        /**
         * Applies the settings that an operator gave by environment variables: whether this process relays at all, the interval, the batch
         * size, how long leases last and the attempts. Anything set after this call wins.
         */
        public Builder switches(OutboxSwitches switches) {
            enabled = switches.relayEnabled();
            return interval(switches.pollInterval())
                    .batchSize(switches.batchSize())
                    .lease(switches.lockTtl())
                    .maxAttempts(switches.maxAttempts());
        }

        /** Reads the headers; must be the same as the store's, if that was given one. Default: {@link JsonCodec#getDefault()}. */
        public Builder jsonCodec(JsonCodec codec) {
            jsonCodec = Objects.requireNonNull(codec, "jsonCodec");
            return this;
        }

        /** How a log line shows the tenant of an event, for example not at all. Default: as it is. */
        public Builder tenantInLogs(UnaryOperator<String> shown) {
            tenantInLogs = Objects.requireNonNull(shown, "tenantInLogs");
            return this;
        }

        /** Receives the numbers that dispatcher and poller of an outbox have. Default: {@link MetricsExporter#NOOP}. */
        public Builder metrics(MetricsExporter exporter) {
            metrics = Objects.requireNonNull(exporter, "metrics");
            return this;
        }

        /** The clock for a store without leases; others use the database's. Default: the system clock. */
        public Builder clock(Clock source) {
            clock = Objects.requireNonNull(source, "clock");
            return this;
        }

        /** Measures half of a lease. */
        Builder nanoTime(LongSupplier source) {
            nanoTime = source;
            return this;
        }

        /**
         * Makes the relay; it does nothing until it is called or started.
         *
         * @throws NullPointerException if a required part is missing
         * @throws IllegalArgumentException if published events are to be deleted, or their errors cleared, by a store that cannot
         */
        public OutboxRelayService build() {
            RelaySettings settings = settings();
            if (completionMode == CompletionMode.DELETE) {
                StoreMarks.requireAbleToDelete(settings.store());
            }
            return new OutboxRelayService(this, settings);
        }

        /** The settings that can be given by configuration keys, for a log line at startup. */
        @Override
        public String toString() {
            return "OutboxRelayService.Builder[interval=" + interval + ", batchSize=" + batchSize + ", workerId="
                    + workerId + ", lease=" + lease + "]";
        }

        private RelaySettings settings() {
            return new RelaySettings(
                    Require.set(connectionProvider, "connectionProvider"),
                    RelaySettings.marked(Require.set(outboxStore, "outboxStore"), clearsErrors),
                    transport,
                    retryPolicy,
                    maxAttempts,
                    lease,
                    completionMode,
                    jsonCodec,
                    tenantInLogs,
                    metrics,
                    clock,
                    nanoTime);
        }

        private static Duration requirePositive(Duration duration, String name) {
            if (duration.isZero() || duration.isNegative()) {
                throw new IllegalArgumentException(name + " must be positive, was " + duration);
            }
            return duration;
        }
    }
}
