package outbox.domain;

import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.RetryPolicy;
import outbox.internal.PeriodicTask;
import outbox.internal.Require;
import outbox.internal.ThreadNames;
import outbox.poller.OutboxPoller;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;

/**
 * Publishes what waits in the table, batch by batch: claim, publish, mark. A failed event is published again after a pause, and ends DEAD
 * when its attempts are used up. Thread-safe; one batch at a time. Several processes may relay from one table.
 *
 * <p>Call {@link #relayOnce} from a scheduler of your own, or {@link #start}. An {@link outbox.Outbox} with
 * {@link OutboxTransport#asListener()} as its default listener publishes sooner, in parallel and, if asked, in the order of each
 * aggregate; this service is for a process that must do one thing at a time.
 */
public final class OutboxRelayService implements AutoCloseable {

    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(1);
    public static final int DEFAULT_BATCH_SIZE = 100;

    private final RelayRound round;
    private final OutboxPoller poller;
    private final PeriodicTask schedule;

    private OutboxRelayService(Builder builder) {
        ConnectionProvider connections = Require.set(builder.connectionProvider, "connectionProvider");
        OutboxStore store = Require.set(builder.outboxStore, "outboxStore");
        OutboxTransport transport = Require.set(builder.transport, "transport");
        String owner = "relay:" + ProcessHandle.current().pid() + ":" + UUID.randomUUID();
        this.round = new RelayRound(
                transport,
                connections,
                RelayMarks.of(store, owner, builder.clock),
                new RelayLimits(builder.lease, builder.retryPolicy, builder.maxAttempts));
        this.poller = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(round)
                .batchSize(Integer.MAX_VALUE)
                .claimLocking(owner, builder.lease)
                .clock(builder.clock)
                .build();
        int batchSize = builder.batchSize;
        this.schedule = new PeriodicTask(
                "OutboxRelayService",
                ThreadNames.prefix("relay", store.tableName()),
                builder.interval,
                () -> relayAll(batchSize));
    }

    /** Starts the description of a relay. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Publishes up to a number of events that are due, oldest first, in the calling thread. A database that cannot be reached is logged,
     * not thrown.
     *
     * @return how many were published
     * @throws IllegalArgumentException if the number is less than 1
     */
    public synchronized int relayOnce(int batchSize) {
        round.begin(Require.atLeast(1, batchSize, "batchSize"));
        poller.poll();
        return round.published();
    }

    /**
     * Relays at once and then after each interval. Starting twice is harmless.
     *
     * @throws IllegalStateException after {@link #close()}
     */
    public void start() {
        schedule.start();
    }

    /** Stops; returns when a batch that was under way has ended, or after five seconds. Closing twice is harmless. */
    @Override
    public void close() {
        schedule.close();
        poller.close();
    }

    /** A full batch means that more may be waiting. */
    private void relayAll(int batchSize) {
        while (!schedule.isClosed() && relayOnce(batchSize) == batchSize) {
            // The next batch follows at once.
        }
    }

    /** Describes a relay. {@code connectionProvider}, {@code outboxStore} and {@code transport} are required. */
    public static final class Builder {

        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable OutboxStore outboxStore;
        private @Nullable OutboxTransport transport;
        private RetryPolicy retryPolicy = new ExponentialBackoffRetryPolicy(
                ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS,
                ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);
        private int maxAttempts = OutboxDispatcher.DEFAULT_MAX_ATTEMPTS;
        private Duration lease = DEFAULT_LEASE;
        private Duration interval = DEFAULT_INTERVAL;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private Clock clock = Clock.systemUTC();

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

        /** Where events go. Required. */
        public Builder transport(OutboxTransport outboxTransport) {
            transport = outboxTransport;
            return this;
        }

        /** How long a failed event waits. Default: exponential, as the dispatcher's. */
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
         * How long claimed events are kept from other processes. Publishing stops after half of it, and what is left of the batch is given
         * back; one event must not take longer than the other half. Default: {@link #DEFAULT_LEASE}.
         */
        public Builder lease(Duration duration) {
            lease = requirePositive(duration, "lease");
            return this;
        }

        /** The pause between batches once {@link OutboxRelayService#start} was called. Default: {@link #DEFAULT_INTERVAL}. */
        public Builder interval(Duration duration) {
            interval = requirePositive(duration, "interval");
            return this;
        }

        /** The size of batches once {@link OutboxRelayService#start} was called. Default: {@link #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int events) {
            batchSize = Require.atLeast(1, events, "batchSize");
            return this;
        }

        /** The clock of a store without leases; others go by the database's. Default: the system's. */
        public Builder clock(Clock source) {
            clock = Objects.requireNonNull(source, "clock");
            return this;
        }

        /** Makes the relay; it does nothing until it is called or started. */
        public OutboxRelayService build() {
            return new OutboxRelayService(this);
        }

        private static Duration requirePositive(Duration duration, String name) {
            if (duration.isZero() || duration.isNegative()) {
                throw new IllegalArgumentException(name + " must be positive, was " + duration);
            }
            return duration;
        }
    }
}
