package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.ContentMask;
import outbox.internal.DatabaseFailure;
import outbox.internal.ErrorText;
import outbox.internal.EventNames;
import outbox.internal.GuardedMetrics;
import outbox.internal.LastWork;
import outbox.internal.LoggedError;
import outbox.internal.PeriodicTask;
import outbox.internal.Require;
import outbox.internal.SafeLog;
import outbox.internal.ShortTransaction;
import outbox.internal.ThreadNames;
import outbox.model.OutboxEvent;
import outbox.model.OutboxHealth;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore;
import outbox.spi.RelayLock;
import outbox.spi.WakeUpSource;
import outbox.util.JsonCodec;

/**
 * Finds events that the hot path did not deliver (refused, crashed, to be retried, written elsewhere) and hands them over, never
 * more than the handler has room for. Thread-safe; polls one at a time.
 *
 * <p>Several processes on one table need {@link Builder#claimLocking(Duration)}: without it each of them would deliver the same
 * rows.
 */
public final class OutboxPoller implements AutoCloseable {

    public static final int DEFAULT_BATCH_SIZE = 50;
    public static final long DEFAULT_INTERVAL_MS = 5000;

    private static final Logger LOG = SafeLog.of(OutboxPoller.class);

    /** Gives memory the time to be freed. */
    private static final Duration AFTER_TOO_MUCH = Duration.ofMillis(100);

    /** Milliseconds could not count much further, and a database may know times that are. */
    private static final Duration LONGEST_AGE = Duration.ofDays(365_000);

    private final ConnectionProvider connections;
    private final OutboxStore store;
    private final OutboxPollerHandler handler;
    private final PollLink link;
    private final RowSource source;
    private final int batchSize;
    private final BatchLimit rows;
    private final MetricsExporter metrics;
    private final RowDecoder decoder;
    private final EventNames names;
    private final Clock clock;
    private final IdleBackoff pauses;
    private final WaitingBackoff looks;
    private final PeriodicTask schedule;
    private final ReentrantLock polling = new ReentrantLock();
    private final @Nullable ActiveRelay relay;
    private final @Nullable WakeUpSource wakeUps;
    private final AtomicBoolean wakingUp = new AtomicBoolean();
    private final boolean handlerCounts;

    private OutboxPoller(Builder builder) {
        this.connections = Require.set(builder.connectionProvider, "connectionProvider");
        this.store = Require.set(builder.outboxStore, "outboxStore");
        this.handler = Require.set(builder.handler, "handler");
        this.link = handler.link();
        this.source = source(builder, store, link);
        this.batchSize = builder.batchSize;
        this.rows = new BatchLimit(batchSize);
        this.metrics = new GuardedMetrics(builder.metrics);
        this.decoder = new RowDecoder(builder.jsonCodec);
        this.names = new EventNames(store.tableName(), builder.tenantInLogs);
        this.clock = builder.clock;
        this.pauses = new IdleBackoff(Duration.ofMillis(builder.intervalMs));
        this.schedule = new PeriodicTask(
                "OutboxPoller", ThreadNames.prefix("poller", store.tableName()), pauses::pause, this::poll);
        this.wakeUps = builder.wakeUps;
        this.looks = new WaitingBackoff(Duration.ofMillis(builder.intervalMs));
        this.relay = relay(builder, source.locks());
        this.handlerCounts = link.countsEnqueued(builder.metrics);
        link.connect(new ScheduleTrigger(schedule, clock, builder.skipRecent));
    }

    private static RowSource source(Builder builder, OutboxStore store, PollLink link) {
        if (builder.claim == null) {
            if (link.isOrdered()) {
                throw new IllegalArgumentException(
                        "ordering needs claim locking, also for a single process, because an event's turn is decided by leases;"
                                + " call claimLocking as well");
            }
            return new RowSource.Unlocked(store, builder.skipRecent);
        }
        ClaimSettings claim = builder.claim.named(link);
        LeaseStore leases = store.leases();
        if (leases == null && link.isOrdered()) {
            throw new IllegalArgumentException("ordering needs a store with leases, but "
                    + store.getClass().getName() + " has none; override leases and ordered");
        }
        if (leases == null) {
            return new RowSource.Locked(store, claim, builder.skipRecent);
        }
        RowSource.Leased leased = new RowSource.Leased(leases, claim, builder.skipRecent);
        return link.isOrdered() ? new RowSource.InOrder(orderOf(store), leased) : leased;
    }

    private static OrderedStore orderOf(OutboxStore store) {
        OrderedStore ordered = store.ordered();
        if (ordered == null) {
            throw new IllegalArgumentException("ordering needs a store that keeps order, but "
                    + store.getClass().getName() + " does not; override ordered");
        }
        return ordered;
    }

    /** A process that is no longer the active one may still have events in its queues; only their leases keep others from them. */
    private @Nullable ActiveRelay relay(Builder builder, boolean claims) {
        if (builder.relayLock == null) {
            return null;
        }
        if (!claims) {
            throw new IllegalArgumentException(
                    "singleActive needs claim locking, which keeps what the last active process still has in hand from the next one;"
                            + " call claimLocking as well");
        }
        ActiveRelay created = new ActiveRelay(builder.relayLock, store.tableName(), schedule::runSoon);
        link.deliverOnlyWhile(created::isActive);
        return created;
    }

    /** An event may be due and still too young to be found, so a request waits at least until it is old enough. */
    private record ScheduleTrigger(PeriodicTask schedule, Clock clock, Duration skipRecent) implements PollTrigger {

        @Override
        public void pollNow() {
            schedule.runSoon();
        }

        @Override
        public void pollAt(Instant due) {
            Duration delay = Duration.between(clock.instant(), due);
            schedule.runAfter(delay.compareTo(skipRecent) > 0 ? delay : skipRecent);
        }
    }

    /** Starts the description of a poller. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts polling, at once and then after each interval. Starting twice is harmless.
     *
     * @throws IllegalStateException after {@link #close()}
     * @throws outbox.OutboxException if the table lacks something the store needs; a database that cannot be reached is no
     *     error, the poller keeps trying
     */
    public void start() {
        if (!schedule.isClosed()) {
            checkSchema();
        }
        schedule.start();
        if (relay != null) {
            relay.start();
        }
        if (wakeUps != null && wakingUp.compareAndSet(false, true)) {
            wakeUps.start(schedule::runSoon);
        }
    }

    private void checkSchema() {
        try {
            ShortTransaction.run(connections, conn -> {
                // First what needs more, so that everything that is missing is told at once.
                if (source instanceof RowSource.InOrder ordered) {
                    ordered.store().checkSchema(conn);
                }
                store.checkSchema(conn);
                return true;
            });
        } catch (SQLException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot check " + tableInWords() + ": the database is not available yet",
                    LoggedError.of(e));
        }
    }

    /** Polls once, in the calling thread; does nothing after {@link #close()}. Failures are logged, not thrown. */
    public void poll() {
        polling.lock();
        try {
            if (!schedule.isClosed() && (relay == null || relay.verify())) {
                pollOnce();
            }
        } catch (Throwable e) {
            LOG.log(
                    Level.ERROR,
                    "Poll of " + tableInWords() + " failed; the next one is tried after the interval",
                    LoggedError.of(e));
        } finally {
            polling.unlock();
        }
    }

    /** Whether the threads of this poller run, or are not meant to. A poll that fails is no problem of health: the next one may not. */
    public OutboxHealth health() {
        return new OutboxHealth(Stream.of(schedule.problem(), relay == null ? null : relay.problem())
                .filter(Objects::nonNull)
                .toList());
    }

    /**
     * Stops polling; returns when a scheduled poll that was under way has ended, or after ten seconds at the latest: a database that does
     * not answer is not waited for any longer. Closing twice is harmless.
     */
    @Override
    public void close() {
        long start = System.nanoTime();
        LastWork listening = wakeUps == null ? null : LastWork.begin("The close of the wake-up source", wakeUps::close);
        if (relay != null) {
            relay.stopSoon();
        }
        schedule.close();
        if (relay != null) {
            relay.close(leftSince(start));
        }
        if (listening != null) {
            listening.await(leftSince(start));
        }
    }

    /** What is left of the time that all of them have together. */
    private static Duration leftSince(long start) {
        Duration left = PeriodicTask.STOP_TIMEOUT.minusNanos(System.nanoTime() - start);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private void pollOnce() throws SQLException {
        int limit = rows.limit(handler.availableCapacity());
        if (limit <= 0) {
            link.pollWhenRoomFor(batchSize);
            return;
        }
        link.pollStarting();
        try {
            Instant now = clock.instant();
            RowSource.Batch batch = ShortTransaction.run(connections, conn -> source.fetch(conn, now, limit));
            List<RowSource.Row> found = batch.rows();
            pauses.polled(!found.isEmpty());
            metrics.recordOldestLagMs(found.stream()
                    .mapToLong(row -> ageMs(row.event(), now))
                    .max()
                    .orElse(0));
            if (handOver(found) && batch.moreMayCome()) {
                goOn();
            }
            if (looks.polled(!found.isEmpty(), batch.othersWait())) {
                schedule.runAfter(looks.pause());
            }
            rows.fitted(limit, found.size());
        } catch (Throwable e) {
            if (DatabaseFailure.isOutOfMemory(e)) {
                readLess(limit);
            }
            throw e;
        } finally {
            link.pollFinished();
        }
    }

    /** What did not fit is free again, or will be, and is read in smaller pieces. */
    private void readLess(int limit) {
        rows.didNotFit(limit);
        link.rowsDidNotFit();
        schedule.runAfter(AFTER_TOO_MUCH);
    }

    /** A full batch means that more may be waiting. Without locks the same rows would be found again until they have ended. */
    private void goOn() {
        if (source.locks()) {
            link.pollWhenRoomFor(batchSize);
        } else {
            link.pollWhenEnded();
        }
    }

    private static long ageMs(OutboxEvent oldest, Instant now) {
        Duration age = Duration.between(oldest.createdAt(), now);
        return age.compareTo(LONGEST_AGE) > 0 ? LONGEST_AGE.toMillis() : Math.max(0, age.toMillis());
    }

    /** Returns whether all have gone that could. */
    private boolean handOver(List<RowSource.Row> rows) {
        HandOver handOver = new HandOver();
        try {
            handOver.run(rows, () -> !schedule.isClosed(), this::takeOver);
            return handOver.isComplete();
        } finally {
            release(handOver.back());
        }
    }

    /** A row that cannot be read is dealt with here and does not stop those of other keys. */
    private HandOver.Fate takeOver(RowSource.Row found) {
        OutboxEvent row = found.event();
        EventEnvelope event;
        try {
            event = decoder.decode(row);
        } catch (RuntimeException e) {
            return bury(row, e);
        }
        int attempts = Math.max(0, row.attempts());
        if (source instanceof RowSource.InOrder) {
            link.nextComesBehind(found.ahead());
        }
        boolean taken = handler.handle(event, attempts);
        if (taken && !handlerCounts) {
            metrics.incrementColdEnqueued();
        }
        return taken ? HandOver.Fate.GONE : HandOver.Fate.NO_ROOM;
    }

    private String tableInWords() {
        String table = store.tableName();
        return table == null ? "the outbox table" : "table " + table;
    }

    private HandOver.Fate bury(OutboxEvent row, RuntimeException problem) {
        // The problem may be a codec's, which sees the headers and may quote them.
        ContentMask content = ContentMask.of(row);
        LOG.log(Level.ERROR, names.of(row) + " cannot be decoded and is marked DEAD", LoggedError.of(problem, content));
        String error = ErrorText.limit("Cannot be decoded: " + ErrorText.of(problem, content));
        boolean holdsKey = holdsKeyWhenDead(row);
        try {
            if (!ShortTransaction.run(connections, conn -> source.markDead(conn, row, error, holdsKey))) {
                return HandOver.Fate.STAYS; // with somebody else by now, or ended
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.ERROR,
                    "Cannot mark " + names.of(row) + " DEAD; the next poll will try again",
                    LoggedError.of(e));
            return HandOver.Fate.STAYS;
        }
        metrics.incrementDispatchDead();
        metrics.eventDead(row.eventType());
        return holdsKey ? HandOver.Fate.HOLDS_KEY : HandOver.Fate.GONE;
    }

    private boolean holdsKeyWhenDead(OutboxEvent row) {
        return source instanceof RowSource.InOrder && row.aggregateId() != null && link.holdsKeyWhenDead(row);
    }

    /** Claimed rows that nobody took would otherwise be out of reach until their lock expires. */
    private void release(List<RowSource.Row> rows) {
        if (!source.locks() || rows.isEmpty()) {
            return;
        }
        List<OutboxEvent> events = rows.stream().map(RowSource.Row::event).toList();
        try {
            ShortTransaction.run(connections, conn -> source.release(conn, events));
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    rows.size() + " claimed event(s) of " + tableInWords()
                            + " could not be released; their lock expires later",
                    LoggedError.of(e));
        }
    }

    /** Describes a poller. {@code connectionProvider}, {@code outboxStore} and {@code handler} are required. */
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

        /** Leaves events alone that are younger than this. Default: zero. */
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
         * The pause between two polls in milliseconds. While nothing is found it grows, to at most ten times this and not beyond five
         * seconds. Default: {@value #DEFAULT_INTERVAL_MS}.
         */
        public Builder intervalMs(long intervalMs) {
            this.intervalMs = Require.atLeast(1, intervalMs, "intervalMs");
            return this;
        }

        /**
         * Receives the lag gauge, and counts what is handed over and what ends DEAD because it cannot be decoded. The dispatcher's exporter
         * may be given here as well: nothing is counted twice. Default: {@link MetricsExporter#NOOP}.
         */
        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /**
         * Leases events to this process, so that several can share the table: those that are found, and those that the dispatcher's own
         * writers insert. Default: off.
         *
         * @param ownerId tells who holds a lock, at most 128 characters, different for each process; null generates one
         * @param lockTimeout after which a lease that was not renewed counts as left behind by a crash; renewed as long as this process
         *     lives, if the store has {@linkplain OutboxStore#leases() leases}
         * @throws IllegalArgumentException if the timeout is not positive
         */
        public Builder claimLocking(@Nullable String ownerId, Duration lockTimeout) {
            this.claim = ClaimSettings.of(ownerId, lockTimeout);
            return this;
        }

        /** Locks the events that are found, under a generated owner id; see {@link #claimLocking(String, Duration)}. */
        public Builder claimLocking(Duration lockTimeout) {
            return claimLocking(null, lockTimeout);
        }

        /**
         * Lets only one process at a time poll and deliver: the one that holds the lock. The others write, and leave their events to it.
         * Needs claim locking. Default: all processes deliver.
         */
        public Builder singleActive(RelayLock relayLock) {
            this.relayLock = Objects.requireNonNull(relayLock, "relayLock");
            return this;
        }

        /** Makes polls come sooner when another process has written something. The poller closes it. Default: none. */
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

        /** Tells which events are due. Default: the system's clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
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
