package outbox.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.internal.LoggedError;
import outbox.internal.PeriodicTask;
import outbox.internal.Require;
import outbox.internal.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;

/**
 * Deletes finished events once their retention has passed, in batches that are transactions of their own. Thread-safe.
 */
public final class OutboxPurgeScheduler implements AutoCloseable {

    public static final Duration DEFAULT_RETENTION = Duration.ofDays(7);
    public static final int DEFAULT_BATCH_SIZE = 500;
    public static final long DEFAULT_INTERVAL_SECONDS = 3600;

    private static final Logger LOG = System.getLogger(OutboxPurgeScheduler.class.getName());

    private final ConnectionProvider connections;
    private final EventPurger purger;
    private final Duration retention;
    private final int batchSize;
    private final Clock clock;
    private final PeriodicTask schedule;

    private OutboxPurgeScheduler(Builder builder) {
        this.connections = Require.set(builder.connectionProvider, "connectionProvider");
        this.purger = Require.set(builder.purger, "purger");
        this.retention = builder.retention;
        this.batchSize = builder.batchSize;
        this.clock = builder.clock;
        this.schedule = new PeriodicTask(
                "OutboxPurgeScheduler", "outbox-purge-", Duration.ofSeconds(builder.intervalSeconds), this::runOnce);
    }

    /** Starts the description of a scheduler. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts purging, at once and then after each interval. Starting twice is harmless.
     *
     * @throws IllegalStateException after {@link #close()}
     */
    public void start() {
        schedule.start();
    }

    /** Purges everything that is due now, batch by batch, in the calling thread. Failures are logged, not thrown. */
    public void runOnce() {
        try {
            purge(clock.instant().minus(retention));
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.ERROR, "Purge failed; the next run goes on", LoggedError.of(e));
        }
    }

    private void purge(Instant before) throws SQLException {
        long total = 0;
        try {
            int deleted = batchSize;
            while (deleted >= batchSize && !schedule.isClosed()) {
                deleted = ShortTransaction.run(connections, conn -> purger.purge(conn, before, batchSize));
                total += deleted;
            }
        } finally {
            if (total > 0) {
                LOG.log(Level.INFO, "Purged {0} finished event(s) older than {1}", total, before);
            }
        }
    }

    /** Stops purging; returns when a batch that was under way has ended. Closing twice is harmless. */
    @Override
    public void close() {
        schedule.close();
    }

    /** Describes a scheduler. {@code connectionProvider} and {@code purger} are required. */
    public static final class Builder {

        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable EventPurger purger;
        private Duration retention = DEFAULT_RETENTION;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private long intervalSeconds = DEFAULT_INTERVAL_SECONDS;
        private Clock clock = Clock.systemUTC();

        private Builder() {}

        /** Where the connections for purging come from. Required. */
        public Builder connectionProvider(ConnectionProvider connectionProvider) {
            this.connectionProvider = connectionProvider;
            return this;
        }

        /** What deletes the events. Required. */
        public Builder purger(EventPurger purger) {
            this.purger = purger;
            return this;
        }

        /** How long finished events are kept. Default: 7 days. */
        public Builder retention(Duration retention) {
            if (retention.isNegative()) {
                throw new IllegalArgumentException("retention must not be negative, was " + retention);
            }
            this.retention = retention;
            return this;
        }

        /** The most events that one transaction deletes. Default: {@value #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            this.batchSize = Require.atLeast(1, batchSize, "batchSize");
            return this;
        }

        /** The pause between two runs in seconds. Default: {@value #DEFAULT_INTERVAL_SECONDS}. */
        public Builder intervalSeconds(long intervalSeconds) {
            this.intervalSeconds = Require.atLeast(1L, intervalSeconds, "intervalSeconds");
            return this;
        }

        /** Tells how old an event is. Default: the system's clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /**
         * Makes the scheduler; it does nothing before {@link OutboxPurgeScheduler#start()}.
         *
         * @throws NullPointerException if a required part is missing
         */
        public OutboxPurgeScheduler build() {
            return new OutboxPurgeScheduler(this);
        }
    }
}
