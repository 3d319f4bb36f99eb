package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.internal.check.Require;
import outbox.internal.task.LastWork;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.EventNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.model.OutboxHealth;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.Preflight;
import outbox.spi.RelayLock;
import outbox.spi.WakeUpSource;
import outbox.util.JsonCodec;

/**
 * Finds events that the hot path did not deliver (refused by a full queue, left by a crash, due for a retry, written by another process)
 * and hands them over, never more than the handler has room for. Thread-safe; polls one at a time.
 *
 * <p>Several processes on one table need {@link Builder#claimLocking(Duration)}: without it each of them would deliver the same rows.
 */
public final class OutboxPoller implements AutoCloseable {

    public static final int DEFAULT_BATCH_SIZE = 50;
    public static final long DEFAULT_INTERVAL_MS = 5000;
    /** How long a lease lasts if claim locking is on and nothing else is said. */
    public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofMinutes(5);

    private static final Logger LOG = SafeLog.of(OutboxPoller.class);

    private final EventNames names;
    private final PeriodicTask schedule;
    private final PollRound round;
    private final PollerStart starting;
    private final ReentrantLock polling = new ReentrantLock();
    private final @Nullable ActiveRelay relay;
    private final @Nullable WakeUpSource wakeUps;
    /** Whether it was started, and its gate was closed. */
    private volatile boolean heldBack;

    private OutboxPoller(Builder builder) {
        ConnectionProvider connections = Require.set(builder.connectionProvider, "connectionProvider");
        OutboxStore store = Require.set(builder.outboxStore, "outboxStore");
        OutboxPollerHandler handler = Require.set(builder.handler, "handler");
        PollLink link = handler.link();
        RowSource source = RowSource.of(store, builder.claim, builder.skipRecent, link);
        this.names = new EventNames(store.tableName(), builder.tenantInLogs);
        PollPace pace = new PollPace(Duration.ofMillis(builder.intervalMs), builder.batchSize);
        this.schedule = new PeriodicTask(
                "OutboxPoller", ThreadNames.prefix("poller", store.tableName()), pace::pause, this::poll);
        this.wakeUps = builder.wakeUps;
        this.relay = ActiveRelay.of(builder.relayLock, store.tableName(), source, link, schedule::runSoon);
        PollRound.Parts parts =
                new PollRound.Parts(connections, handler, builder.metrics, builder.jsonCodec, names, builder.clock);
        this.round = new PollRound(parts, link, source, pace, schedule);
        this.starting = new PollerStart(
                parts, new PollerStart.Parts(store, source, link, schedule, relay, wakeUps, builder.startGate));
        link.connect(new PollPace.Trigger(schedule, builder.clock, builder.skipRecent));
    }

    /** Starts building a poller. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts polling, at once and then after each interval. Starting twice is harmless.
     *
     * @throws IllegalStateException after {@link #close()}
     * @throws outbox.OutboxException if the table lacks something the store needs; a database that cannot be reached is not an error, the
     *     poller keeps trying
     */
    public void start() {
        heldBack = !starting.begin();
    }

    private boolean isHeldBack() {
        heldBack = heldBack && !starting.goOn();
        return heldBack;
    }

    /** What this poller is going to do, for a {@link Preflight}. */
    public Preflight.Work plannedWork() {
        return starting.plannedWork();
    }

    /** Polls once, in the calling thread; does nothing after {@link #close()}. Failures are logged, not thrown. */
    public void poll() {
        polling.lock();
        try {
            if (!schedule.isClosed() && !isHeldBack()) {
                boolean active = relay == null || relay.verify();
                round.run(active);
                if (active) {
                    round.signs().roundEnded();
                }
            }
        } catch (Throwable e) {
            LOG.log(
                    Level.ERROR,
                    "Poll of " + names.ofTable() + " failed; trying again after the interval",
                    LoggedError.of(e));
        } finally {
            polling.unlock();
        }
    }

    /** Polls as soon as possible, on the poller's own thread, instead of at the end of the interval; does nothing unless it is started. */
    public void pollSoon() {
        schedule.runSoon();
    }

    /** Whether the threads of this poller are running, or are not meant to. A failed poll does not count: the next one may succeed. */
    public OutboxHealth health() {
        boolean polls = !schedule.isClosed() && (relay == null || relay.isActive());
        return new OutboxHealth(
                Stream.of(schedule.problem(), relay == null ? null : relay.problem())
                        .filter(Objects::nonNull)
                        .toList(),
                List.of(),
                round.signs().figures(polls));
    }

    /**
     * Stops polling; returns when a scheduled poll that was under way has ended, or after ten seconds at the latest, if the database does
     * not answer. Closing twice is harmless.
     */
    @Override
    public void close() {
        long start = System.nanoTime();
        LastWork listening = wakeUps == null ? null : LastWork.begin("Closing the wake-up source", wakeUps::close);
        if (relay != null) {
            relay.stopSoon();
        }
        schedule.close();
        round.close();
        if (relay != null) {
            relay.close(leftSince(start));
        }
        if (listening != null) {
            listening.await(leftSince(start));
        }
    }

    /** What is left of the time that all parts have together to stop. */
    private static Duration leftSince(long start) {
        Duration left = PeriodicTask.STOP_TIMEOUT.minusNanos(System.nanoTime() - start);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Builds a poller. {@code connectionProvider}, {@code outboxStore} and {@code handler} are required. */
    public static final class Builder {

        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable OutboxStore outboxStore;
        private @Nullable OutboxPollerHandler handler;
        private Duration skipRecent = Duration.ZERO;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private long intervalMs = DEFAULT_INTERVAL_MS;
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private @Nullable ClaimSettings claim;
        private @Nullable RelayLock relayLock;
        private @Nullable WakeUpSource wakeUps;
        private JsonCodec jsonCodec = JsonCodec.getDefault();
        private UnaryOperator<String> tenantInLogs = UnaryOperator.identity();
        private Clock clock = Clock.systemUTC();
        private @Nullable BooleanSupplier startGate;

        private Builder() {}

        /** Where the connections for polling come from. Required. */
        public Builder connectionProvider(ConnectionProvider connectionProvider) {
            this.connectionProvider = connectionProvider;
            return this;
        }

        /** Where events are found. Required. */
        public Builder outboxStore(OutboxStore outboxStore) {
            this.outboxStore = outboxStore;
            return this;
        }

        /** Who takes the events. Required. */
        public Builder handler(OutboxPollerHandler handler) {
            this.handler = handler;
            return this;
        }

        /** Skips events that are younger than this. Default: zero. */
        public Builder skipRecent(Duration skipRecent) {
            if (skipRecent.isNegative()) {
                throw new IllegalArgumentException("skipRecent must not be negative, was " + skipRecent);
            }
            this.skipRecent = skipRecent;
            return this;
        }

        /** The most events that one poll fetches. Default: {@value #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            this.batchSize = Require.atLeast(1, batchSize, "batchSize");
            return this;
        }

        /**
         * The pause between two polls in milliseconds. It grows while nothing is found, to at most ten times this and not beyond five
         * seconds. Default: {@value #DEFAULT_INTERVAL_MS}.
         */
        public Builder intervalMs(long intervalMs) {
            this.intervalMs = Require.atLeast(1, intervalMs, "intervalMs");
            return this;
        }

        /**
         * Receives the lag gauge and the counts of events that were handed over or ended DEAD because they cannot be decoded. May be the
         * dispatcher's exporter: nothing is counted twice. Default: {@link MetricsExporter#NOOP}.
         */
        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /**
         * Leases events to this process, so that several can share the table: those that are found, and those that the dispatcher's own
         * writers insert. Default: off.
         *
         * @param ownerId names this process in its leases, at most 128 characters, different for each process; null generates one
         * @param lockTimeout when a lease that is not renewed expires; this process renews its leases as long as it lives, if the store
         *     has {@linkplain OutboxStore#leases() leases}; null for five minutes
         * @throws IllegalArgumentException if the timeout is not positive
         */
        public Builder claimLocking(@Nullable String ownerId, @Nullable Duration lockTimeout) {
            this.claim = ClaimSettings.of(ownerId, lockTimeout);
            return this;
        }

        /** Leases events to this process under a generated owner id; see {@link #claimLocking(String, Duration)}. */
        public Builder claimLocking(@Nullable Duration lockTimeout) {
            return claimLocking(null, lockTimeout);
        }

        /**
         * Lets only one process at a time poll and deliver: the one that holds the lock. The others write, and leave their events to it.
         * One whose workers are gone, or do not come back from their listeners, lets go of the lock until they do. Needs claim locking. Default: all processes deliver.
         */
        public Builder singleActive(RelayLock relayLock) {
            this.relayLock = Objects.requireNonNull(relayLock, "relayLock");
            return this;
        }

        /** Triggers a poll when another process has written something. The poller closes it. Default: none. */
        public Builder wakeUpSource(WakeUpSource wakeUpSource) {
            this.wakeUps = Objects.requireNonNull(wakeUpSource, "wakeUpSource");
            return this;
        }

        /** Reads the headers. Default: {@link JsonCodec#getDefault()}. */
        public Builder jsonCodec(JsonCodec jsonCodec) {
            this.jsonCodec = Objects.requireNonNull(jsonCodec, "jsonCodec");
            return this;
        }

        /** How a log line shows the tenant of an event, for example not at all. Default: as it is. */
        public Builder tenantInLogs(UnaryOperator<String> tenantInLogs) {
            this.tenantInLogs = Objects.requireNonNull(tenantInLogs, "tenantInLogs");
            return this;
        }

        /** Decides which events are due. Default: the system clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /**
         * Takes the place of the check of the table that {@link OutboxPoller#start()} makes: as long as this is false, nothing is claimed,
         * nothing is delivered from memory and no lock is taken. Once it is true after the start it must stay so. Default: none.
         */
        public Builder startGate(BooleanSupplier isOpen) {
            this.startGate = Objects.requireNonNull(isOpen, "isOpen");
            return this;
        }

        /**
         * Makes the poller; it does nothing before {@link OutboxPoller#start()} or {@link OutboxPoller#poll()}.
         *
         * @throws NullPointerException if a required part is missing
         */
        public OutboxPoller build() {
            return new OutboxPoller(this);
        }
    }
}
