package outbox.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.check.Require;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.model.OutboxHealth;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.PurgeRuns;
import outbox.spi.PurgeRuns.Expiry;

/**
 * Deletes finished events once their retention has passed, in batches with a transaction each and a rest after each.
 * Thread-safe.
 */
public final class OutboxPurgeScheduler implements AutoCloseable {

    public static final Duration DEFAULT_RETENTION = Duration.ofDays(7);
    public static final int DEFAULT_BATCH_SIZE = 500;
    public static final long DEFAULT_INTERVAL_SECONDS = 3600;
    public static final Duration DEFAULT_LONGEST_REST = Duration.ofSeconds(5);

    private static final Duration UNTIL_OPEN = Duration.ofSeconds(1);
    private static final Logger LOG = SafeLog.of(OutboxPurgeScheduler.class);

    private final ConnectionProvider connections;
    private final EventPurger purger;
    private final Retention retention;
    private final @Nullable Archiving archiving;
    private final int batchSize;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final Rest rest;
    private final PeriodicTask schedule;
    private volatile BooleanSupplier gate = () -> true;

    private OutboxPurgeScheduler(Builder builder) {
        this.connections = Require.set(builder.connectionProvider, "connectionProvider");
        this.purger = Require.set(builder.purger, "purger");
        this.retention = builder.retention();
        this.archiving = builder.archive == null ? null : new Archiving(builder.archive);
        requireRuns();
        this.batchSize = builder.batchSize;
        this.clock = builder.clock;
        this.nanoTime = builder.nanoTime;
        this.rest = new Rest(builder.longestRest);
        this.schedule = new PeriodicTask(
                "OutboxPurgeScheduler",
                ThreadNames.prefix("purge", purger.purgedTable()),
                Duration.ofSeconds(builder.intervalSeconds),
                this::runIfOpen);
    }

    private void requireRuns() {
        boolean needed = archiving != null || !retention.isSameForAll();
        if (needed && purger.runs() == null) {
            throw new IllegalArgumentException((archiving != null ? "archive" : "A retention for each status")
                    + " needs a purger that supports runs, but "
                    + purger.getClass().getName() + " does not; override runs(), or set only retention");
        }
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

    /**
     * As {@link #start()}, but the first run comes when that is true, or soon after. Once it is true it must stay so.
     *
     * @throws IllegalStateException after {@link #close()}
     */
    public void startWhen(BooleanSupplier isOpen) {
        this.gate = Objects.requireNonNull(isOpen, "isOpen");
        schedule.start();
    }

    private void runIfOpen() {
        if (gate.getAsBoolean()) {
            runOnce();
        } else {
            schedule.runAfter(UNTIL_OPEN);
        }
    }

    /** Whether the thread that purges is running, or is not meant to. */
    public OutboxHealth health() {
        String problem = schedule.problem();
        return problem == null ? OutboxHealth.HEALTHY : new OutboxHealth(List.of(problem));
    }

    /** Purges everything that is due now, batch by batch, in the calling thread. Failures are logged, not thrown. */
    public void runOnce() {
        try {
            purge(retention.at(clock.instant()));
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.ERROR, "Purge failed; the next run will try again", LoggedError.of(e));
        }
    }

    private void purge(Expiry expiry) throws SQLException {
        PurgeRuns.Run run = begin(expiry);
        PurgeProgress progress = new PurgeProgress(LOG, expiry, nanoTime);
        try {
            boolean more = true;
            while (more && !schedule.isClosed()) {
                long start = nanoTime.getAsLong();
                PurgeRuns.Batch batch = run.next(connections, batchSize);
                progress.add(batch);
                more = batch.more() && rest.after(Duration.ofNanos(nanoTime.getAsLong() - start));
            }
        } finally {
            progress.end();
        }
    }

    private PurgeRuns.Run begin(Expiry expiry) {
        PurgeRuns runs = purger.runs();
        return runs == null ? new PlainRun(purger, expiry.doneBefore()) : runs.begin(expiry, archiving);
    }

    /** Stops purging, at once if it is resting; returns when a batch that was under way has ended. Closing twice is harmless. */
    @Override
    public void close() {
        rest.endAll();
        schedule.close();
    }

    /** Builds a scheduler. {@code connectionProvider} and {@code purger} are required. */
    public static final class Builder {

        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable EventPurger purger;
        private Duration retention = DEFAULT_RETENTION;
        private @Nullable Duration doneRetention;
        private @Nullable Duration deadRetention;
        private boolean keepDead;
        private boolean keepDeadByDefault;
        private @Nullable EventArchive archive;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private Duration longestRest = DEFAULT_LONGEST_REST;
        private long intervalSeconds = DEFAULT_INTERVAL_SECONDS;
        private Clock clock = Clock.systemUTC();
        private LongSupplier nanoTime = System::nanoTime;

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

        /** How long finished events are kept, unless there is another retention for their status. Default: 7 days. */
        public Builder retention(Duration retention) {
            this.retention = notNegative(retention, "retention");
            return this;
        }

        /** How long DONE events are kept. Default: as {@link #retention}. */
        public Builder doneRetention(Duration doneRetention) {
            this.doneRetention = notNegative(doneRetention, "doneRetention");
            return this;
        }

        /** How long DEAD events are kept. Default: as {@link #retention}. An event that holds its key is always kept. */
        public Builder deadRetention(Duration deadRetention) {
            this.deadRetention = notNegative(deadRetention, "deadRetention");
            return this;
        }

        /** Keeps DEAD events for ever. Not together with {@link #deadRetention}. */
        public Builder keepDead() {
            this.keepDead = true;
            return this;
        }

        /** Keeps DEAD events for ever unless {@link #deadRetention} is set; for those who build this for others. */
        public Builder keepDeadByDefault() {
            this.keepDeadByDefault = true;
            return this;
        }

        /** Receives all events before they are deleted, in the same transaction. Default: none. */
        public Builder archive(EventArchive archive) {
            this.archive = Objects.requireNonNull(archive, "archive");
            return this;
        }

        /** The most events that one transaction deletes. Default: {@value #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            this.batchSize = Require.atLeast(1, batchSize, "batchSize");
            return this;
        }

        /**
         * After each batch the run rests as long as the batch took, but no longer than this; zero for no rest. Default: 5 seconds.
         */
        public Builder restBetweenBatches(Duration longest) {
            this.longestRest = notNegative(longest, "restBetweenBatches");
            return this;
        }

        /** The pause between two runs in seconds. Default: {@value #DEFAULT_INTERVAL_SECONDS}. */
        public Builder intervalSeconds(long intervalSeconds) {
            this.intervalSeconds = Require.atLeast(1L, intervalSeconds, "intervalSeconds");
            return this;
        }

        /** Decides how old an event is. Default: the system clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Measures how long a batch takes. */
        Builder nanoTime(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
            return this;
        }

        private static Duration notNegative(Duration value, String name) {
            if (value.isNegative()) {
                throw new IllegalArgumentException(name + " must not be negative, was " + value);
            }
            return value;
        }

        private Retention retention() {
            if (keepDead && deadRetention != null) {
                throw new IllegalArgumentException("keepDead and deadRetention are both set, the latter to "
                        + deadRetention + "; set one of them");
            }
            boolean kept = keepDead || (keepDeadByDefault && deadRetention == null);
            Duration dead = deadRetention == null ? retention : deadRetention;
            return new Retention(doneRetention == null ? retention : doneRetention, kept ? null : dead);
        }

        /**
         * Makes the scheduler; it does nothing before {@link OutboxPurgeScheduler#start()}.
         *
         * @throws NullPointerException if a required part is missing
         * @throws IllegalArgumentException if settings contradict each other
         */
        public OutboxPurgeScheduler build() {
            return new OutboxPurgeScheduler(this);
        }
    }
}
