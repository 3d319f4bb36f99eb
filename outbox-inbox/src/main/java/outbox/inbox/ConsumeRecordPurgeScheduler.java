package outbox.inbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.check.Require;
import outbox.internal.task.PeriodicTask;
import outbox.internal.text.SafeLog;
import outbox.purge.OutboxPurgeScheduler;

/**
 * Deletes consume records once their retention has passed, in batches with a transaction each, by the database's clock. An event that
 * arrives after its record is gone is handled again: the retention must be longer than the time within which a sender may redeliver an
 * event. Thread-safe.
 */
public final class ConsumeRecordPurgeScheduler implements AutoCloseable {

    /** Twice as long as an outbox keeps its own events. */
    public static final Duration DEFAULT_RETENTION = OutboxPurgeScheduler.DEFAULT_RETENTION.multipliedBy(2);

    public static final Duration DEFAULT_REPLAY_WINDOW = OutboxPurgeScheduler.DEFAULT_RETENTION;
    public static final int DEFAULT_BATCH_SIZE = 500;
    public static final Duration DEFAULT_INTERVAL = Duration.ofHours(1);

    private static final Logger LOG = SafeLog.of(ConsumeRecordPurgeScheduler.class);

    private final ConsumeRecordStore records;
    private final Duration retention;
    private final int batchSize;
    private final PeriodicTask schedule;

    private ConsumeRecordPurgeScheduler(Builder builder) {
        this.records = Require.set(builder.records, "records");
        this.retention = builder.retention;
        this.batchSize = builder.batchSize;
        this.schedule =
                new PeriodicTask("ConsumeRecordPurgeScheduler", "outbox-inbox-purge-", builder.interval, this::runOnce);
    }

    /** Starts building a scheduler. */
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
        long total = 0;
        try {
            int deleted = batchSize;
            while (deleted >= batchSize && !schedule.isClosed()) {
                deleted = records.purge(retention, batchSize);
                total += deleted;
            }
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "Purge of " + records() + " failed; the next run will try again", e);
        }
        if (total > 0) {
            LOG.log(Level.INFO, "Purged {0} of {1} older than {2}", total, records(), retention);
        }
    }

    private String records() {
        return "the consume records" + (records.tableName() == null ? "" : " in table " + records.tableName());
    }

    /** Stops purging; returns when a batch that was under way has ended. Closing twice is harmless. */
    @Override
    public void close() {
        schedule.close();
    }

    /** Builds a scheduler. {@code records} is required. */
    public static final class Builder {

        private @Nullable ConsumeRecordStore records;
        private Duration retention = DEFAULT_RETENTION;
        private Duration replayWindow = DEFAULT_REPLAY_WINDOW;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private Duration interval = DEFAULT_INTERVAL;

        private Builder() {}

        /** What is purged. Required. */
        public Builder records(ConsumeRecordStore records) {
            this.records = records;
            return this;
        }

        /** How long records are kept after their last change. Default: 14 days. */
        public Builder retention(Duration retention) {
            this.retention = retention;
            return this;
        }

        /**
         * How long after its first delivery a sender may redeliver an event. For an outbox: the retention of its purge, within which
         * a DEAD event can be replayed. Default: 7 days, the outbox's default retention.
         */
        public Builder replayWindow(Duration replayWindow) {
            this.replayWindow = replayWindow;
            return this;
        }

        /** The most records that one transaction deletes. Default: {@value #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            this.batchSize = Require.atLeast(1, batchSize, "batchSize");
            return this;
        }

        /** The pause between two runs. Default: 1 hour. */
        public Builder interval(Duration interval) {
            this.interval = Intervals.positive(interval);
            return this;
        }

        /**
         * Makes the scheduler; it does nothing before {@link ConsumeRecordPurgeScheduler#start()}.
         *
         * @throws NullPointerException if a required part is missing
         * @throws IllegalArgumentException if the retention is not longer than the replay window
         */
        public ConsumeRecordPurgeScheduler build() {
            if (retention.compareTo(replayWindow) <= 0) {
                throw new IllegalArgumentException("retention must be longer than replayWindow, was " + retention
                        + " with replayWindow " + replayWindow
                        + ": an event that is replayed after its record was purged would be handled twice;"
                        + " keep records longer, or purge the outbox earlier");
            }
            return new ConsumeRecordPurgeScheduler(this);
        }
    }
}
