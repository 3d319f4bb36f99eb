package outbox.dispatch;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.KeyedQueue.Before;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.EventNames;
import outbox.internal.GuardedMetrics;
import outbox.internal.LastWork;
import outbox.internal.PeriodicTask;
import outbox.internal.Require;
import outbox.internal.ThreadNames;
import outbox.model.OutboxEvent;
import outbox.model.OutboxHealth;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.util.DaemonThreadFactory;

/**
 * Takes events from a hot queue (fed right after the commit) and a cold one (fed by the poller), runs their listeners on worker
 * threads and records what became of them. Thread-safe.
 *
 * <p>Both queues are bounded, in number and in bytes, and listeners run synchronously on the workers, so a slow listener fills the
 * queues and further events are refused: they wait in the table, which is the buffer of unlimited size, until there is room again.
 *
 * <p>Within one process an event that is queued or running is never queued again.
 */
public final class OutboxDispatcher implements AutoCloseable {

    public static final int DEFAULT_WORKER_COUNT = 4;
    public static final int DEFAULT_QUEUE_CAPACITY = 1000;
    /** Waiting events may take this part of the heap, if nothing else is said: one divided by so much. */
    public static final int DEFAULT_QUEUE_SHARE_OF_HEAP = 8;

    public static final int DEFAULT_MAX_ATTEMPTS = 10;
    public static final long DEFAULT_DRAIN_TIMEOUT_MS = 5000;
    public static final long DEFAULT_COMPLETION_LINGER_MS = 5;
    public static final CompletionMode DEFAULT_COMPLETION_MODE = CompletionMode.MARK_DONE;

    /** How long the close waits for the database to free what this process has leased and not begun. */
    private static final Duration LEASES_END_WITHIN = Duration.ofSeconds(4);

    /** The most outcomes that share a statement; larger groups gain little more. */
    private static final int COMPLETION_GROUP_SIZE = 500;

    private final Ordering ordering;
    private final EventNames names;
    /** What each of the queues may hold: were it shared, a backlog could keep what was just written out, and the other way round. */
    private final long bytesEach;

    private final int coldQueueCapacity;
    private final LargestRecent largestRow = new LargestRecent(EventEnvelope.MAX_PAYLOAD_BYTES);
    private final FairEventQueue queue;
    private final KeyedQueue keys;
    private final QueueDepthReporter depths;
    private final InFlightEvents inFlight;
    private final MetricsExporter exporter;
    private final MetricsExporter metrics;
    private final CompletionBuffer completions;
    private final NodeLeases leases;
    private final @Nullable NodeHeartbeat heartbeat;
    private final PeriodicTask renewal;
    private final PollRequests pollRequests;
    private final DueTimes dueTimes;
    private final Clock clock;
    private final Returns returns;
    private final EventDelivery delivery;
    private final @Nullable DispatcherThreads threads;
    private volatile BooleanSupplier acceptsHot = () -> true;

    private OutboxDispatcher(Builder builder) {
        this.ordering = builder.ordering;
        this.names = new EventNames(builder.store().tableName(), builder.tenantInLogs);
        this.bytesEach = builder.queueBytes / 2;
        this.coldQueueCapacity = builder.coldQueueCapacity;
        this.queue = new FairEventQueue(builder.hotQueueCapacity, coldQueueCapacity, bytesEach);
        this.inFlight = new InFlightEvents(builder.inFlightTracker);
        this.exporter = builder.metrics;
        this.metrics = new GuardedMetrics(exporter);
        this.completions = new CompletionBuffer(COMPLETION_GROUP_SIZE, builder.completionLingerMs);
        this.leases = new NodeLeases(builder.store().leases(), builder.leaseConnections(), builder.nanoTime);
        this.heartbeat = heartbeat(builder);
        this.renewal = new PeriodicTask(
                "Renewal of leases",
                ThreadNames.prefix("leases", builder.store().tableName()),
                leases::renewalInterval,
                this::keepLeases);
        this.pollRequests = new PollRequests(this::claimable, this::mostClaimable, builder.clock);
        this.clock = builder.clock;
        this.dueTimes = new DueTimes(pollRequests, clock);
        this.returns = new Returns(leases, inFlight, pollRequests);
        this.keys = new KeyedQueue(ordering, queue, returns, completions::hurry, this::depthChanged, pollRequests);
        this.depths = new QueueDepthReporter(() -> keys.depth(Source.HOT), () -> keys.depth(Source.COLD), metrics);
        this.delivery = new EventDelivery(builder.registry(), builder.interceptors, names);
        this.threads = builder.workerCount == 0
                ? null
                : new DispatcherThreads(
                        builder.threads.apply("dispatcher"),
                        builder.threads.apply("completer"),
                        builder.drainTimeoutMs);
    }

    /** Starts the description of a dispatcher. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Queues an event right after its commit.
     *
     * @return false if the queue is full or the dispatcher is closing; true if it was queued, or need not be because the poller
     *     was quicker
     */
    public boolean enqueueHot(QueuedEvent event) {
        boolean queued = enqueue(Source.HOT, event, Before.NOTHING, inFlight::tryAcquireCommitted);
        if (!queued) {
            pollRequests.hotRefused();
        }
        return queued;
    }

    /**
     * Queues an event that was found in the table.
     *
     * @return false if the queue is full or the dispatcher is closing; true if it was queued, or already was
     */
    public boolean enqueueCold(QueuedEvent event) {
        return enqueue(Source.COLD, event, Before.NOTHING, inFlight::tryAcquire);
    }

    /** As {@link #enqueueCold(QueuedEvent)}, for a row that was read after the window had been opened. */
    boolean enqueueCold(QueuedEvent event, PollWindow window) {
        return enqueue(Source.COLD, event, Before.NOTHING, eventId -> inFlight.tryAcquire(event, window));
    }

    /**
     * As {@link #enqueueCold(QueuedEvent, PollWindow)}, for a row that was leased by a statement sent after the given time. One that is on
     * its way already is not given back, even if the dispatcher is closing: its outcome needs the lease.
     *
     * @param ahead the ids of events that must end before it
     */
    boolean enqueueClaimed(QueuedEvent event, PollWindow window, long sinceNanos, Collection<String> ahead) {
        String eventId = event.envelope().eventId();
        if (!inFlight.tryAcquire(event, window)) {
            leases.claimedAgain(eventId, event.attempts(), sinceNanos);
            return true;
        }
        Before before = Before.NOTHING;
        if (ahead.isEmpty()) {
            leases.claimed(eventId, event.attempts(), sinceNanos);
        } else {
            leases.claimedUnsure(eventId, event.attempts(), sinceNanos);
            before = new Before(ahead, window::isFinished, () -> leases.sure(eventId));
        }
        boolean queued = false;
        try {
            queued = enqueue(Source.COLD, event, before, acquired -> true);
        } finally {
            if (!queued) {
                leases.forget(eventId); // the poller gives it back
            }
        }
        return queued;
    }

    /** Whether later events of its key must wait if the event in the row, which cannot be read, ends DEAD. */
    boolean holdsKeyWhenDead(OutboxEvent row) {
        return delivery.holdsKeyWhenDead(row);
    }

    /** Leaves events to another process while this is false. */
    void acceptHotOnlyWhile(BooleanSupplier condition) {
        acceptsHot = condition;
    }

    /** Whether events that are written here are delivered here. */
    boolean acceptsHot() {
        return acceptsHot.getAsBoolean();
    }

    /** When delayed events that were written here fall due. */
    DueTimes dueTimes() {
        return dueTimes;
    }

    Clock clock() {
        return clock;
    }

    /** Whether events of one aggregate are delivered one after another. */
    boolean isOrdered() {
        return ordering == Ordering.PER_AGGREGATE;
    }

    /** Turns leases on; see {@link NodeLeases#begin}. */
    String holdLeases(String ownerId, Duration timeout) {
        String name = leases.begin(ownerId, timeout);
        if (leases.isOn() && !queue.isClosed()) {
            renewal.start();
        }
        return name;
    }

    private boolean enqueue(Source lane, QueuedEvent event, Before before, Predicate<String> acquire) {
        if (!acquire.test(event.envelope().eventId())) {
            return !queue.isClosed();
        }
        pollRequests.entered(lane);
        boolean queued = false;
        try {
            queued = keys.offer(lane, event.from(lane), before);
        } finally {
            if (!queued) {
                inFlight.release(event.envelope().eventId());
                pollRequests.left(lane);
            }
        }
        if (queued) {
            depths.changed();
            countEnqueued(lane);
        }
        return queued;
    }

    private void countEnqueued(Source lane) {
        if (lane == Source.HOT) {
            metrics.incrementHotEnqueued();
        } else {
            metrics.incrementColdEnqueued();
        }
    }

    /**
     * How many events the cold queue can still take as far as their number goes; 0 once the dispatcher is closing. It may take fewer if they
     * are large, see {@link Builder#queueBytes}.
     */
    public int coldQueueRemainingCapacity() {
        return keys.room(Source.COLD);
    }

    /** How many rows may be read from the table now: as many as there is room for if all are as large as the largest one lately. */
    int claimable() {
        int places = canWork() ? coldQueueRemainingCapacity() : 0;
        long fitting = keys.bytesLeft(Source.COLD) / largestRow.bytes();
        // With an empty queue one row is always read, however large: otherwise it would never be.
        boolean evenOne = fitting < 1 && keys.depth(Source.COLD) == 0;
        return (int) Math.min(places, evenOne ? 1 : Math.max(0, fitting));
    }

    /** How many rows may be read if none wait. */
    private int mostClaimable() {
        return (int) Math.min(coldQueueCapacity, bytesEach / largestRow.bytes());
    }

    /** Knows how large the rows of the table are. */
    LargestRecent largestRow() {
        return largestRow;
    }

    /**
     * Whether the threads of this dispatcher do what they are there for. One that has failed is begun again; while none can deliver or record,
     * nothing is taken over, leases are not renewed and what was not begun is given back. A closed dispatcher has no problems.
     */
    public OutboxHealth health() {
        List<String> problems = new ArrayList<>();
        if (threads != null && !queue.isClosed()) {
            problems.addAll(threads.problems());
        }
        String renewalProblem = renewal.problem();
        if (renewalProblem != null) {
            problems.add(renewalProblem);
        }
        return new OutboxHealth(problems);
    }

    /** A dispatcher without workers was told not to deliver; that is no reason to refuse events. */
    private boolean canWork() {
        return threads == null || threads.canWork();
    }

    /**
     * Stops accepting events and waits until the queued ones are processed, at most for the drain timeout. Then the workers are
     * interrupted and what is left stays pending in the table. A database that does not answer lengthens this by ten seconds at most.
     * Closing twice is harmless.
     */
    @Override
    public void close() {
        queue.close();
        if (threads == null) {
            discardQueued();
        } else {
            threads.stop(this::giveUpQueued, completions::close);
        }
        renewal.close();
        leases.close();
        if (leases.isOn()) {
            LastWork.within(LEASES_END_WITHIN, "The return of leases", this::endLeases);
        }
    }

    private void endLeases() {
        leases.releaseGivenBack();
        if (heartbeat != null) {
            heartbeat.end(leases.ownerId());
        }
    }

    /** Also lets go of workers that wait for room for an outcome: there is no more time. */
    private int giveUpQueued() {
        completions.refuseWhenFull();
        return discardQueued();
    }

    private int discardQueued() {
        List<QueuedEvent> left = queue.drain();
        for (QueuedEvent event : left) {
            keys.brokeQuietly(event);
            returns.giveBackQuietly(event.envelope().eventId(), event.source());
        }
        depths.changed();
        return left.size();
    }

    private void depthChanged() {
        depths.changed();
    }

    /** The exporter as it was given. */
    MetricsExporter exporter() {
        return exporter;
    }

    /** How log lines name an event. */
    EventNames names() {
        return names;
    }

    InFlightEvents inFlight() {
        return inFlight;
    }

    NodeLeases leases() {
        return leases;
    }

    PollRequests pollRequests() {
        return pollRequests;
    }

    /** What more may be written as ours; events that are being written have their place already. */
    HotRoom hotRoom() {
        return canWork()
                ? new HotRoom(
                        keys.room(Source.HOT) - inFlight.announcedCount(),
                        keys.bytesLeft(Source.HOT) - inFlight.announcedBytes())
                : HotRoom.NONE;
    }

    private void start(Builder builder) {
        if (threads == null) {
            return;
        }
        FailureJudge judge =
                new FailureJudge(builder.retryPolicy, builder.maxAttempts, builder.errorSummary, builder.clock);
        OpenCompletions open = new OpenCompletions(
                new CompletionReport(inFlight, leases, metrics, pollRequests, keys, returns), COMPLETION_GROUP_SIZE);
        CompletionWriter writer =
                new CompletionWriter(builder.connections(), marks(builder), threads::pauseUnlessForced, open);
        Turns turns = new Turns(leases, isOrdered() ? builder.store().ordered() : null, builder.connections(), names);
        List<DispatchWorker> workers = new ArrayList<>();
        for (int i = 0; i < builder.workerCount; i++) {
            workers.add(new DispatchWorker(
                    queue,
                    keys,
                    turns,
                    depths,
                    returns,
                    leases,
                    delivery,
                    judge,
                    completions,
                    pollRequests,
                    names,
                    threads.forcedStop()));
        }
        threads.start(new Completer(completions, open, writer, threads::pauseUnlessForced), workers);
    }

    private static @Nullable NodeHeartbeat heartbeat(Builder builder) {
        LeaseStore leaseStore = builder.store().leases();
        return leaseStore == null ? null : new NodeHeartbeat(leaseStore, builder.leaseConnections(), System::nanoTime);
    }

    /** Who cannot deliver, or cannot record, keeps nobody else from it. */
    private void keepLeases() {
        if (canWork()) {
            leases.renew();
        } else {
            discardQueued();
        }
        leases.releaseGivenBack(); // the poller does it as well, but not while its queue is full
        if (heartbeat != null && leases.isOn()) {
            heartbeat.beat(leases.ownerId());
        }
    }

    private CompletionWriter.Marks marks(Builder builder) {
        OutboxStore store = builder.store();
        OutboxStore limited = store.withMarkTimeout(CompletionWriter.TIME_LIMIT);
        return new LockAwareMarks(store, marks(limited, builder.completionMode), marks(store, builder.completionMode));
    }

    private CompletionWriter.Marks marks(OutboxStore store, CompletionMode mode) {
        CompletionWriter.Marks unleased = new StoreMarks(store, mode);
        LeaseStore leaseStore = store.leases();
        return leaseStore == null ? unleased : new LeasedMarks(leases, leaseStore, mode, unleased);
    }

    /** Describes a dispatcher. {@code connectionProvider}, {@code outboxStore} and {@code listenerRegistry} are required. */
    public static final class Builder {

        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable ConnectionProvider leaseConnectionProvider;
        private @Nullable OutboxStore outboxStore;
        private @Nullable ListenerRegistry listenerRegistry;
        private InFlightTracker inFlightTracker = new DefaultInFlightTracker();
        private RetryPolicy retryPolicy = new ExponentialBackoffRetryPolicy(
                ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS,
                ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);
        private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
        private ErrorSummary errorSummary = ErrorSummary.withoutContent();
        private UnaryOperator<String> tenantInLogs = UnaryOperator.identity();
        private int workerCount = DEFAULT_WORKER_COUNT;
        private int hotQueueCapacity = DEFAULT_QUEUE_CAPACITY;
        private int coldQueueCapacity = DEFAULT_QUEUE_CAPACITY;
        private long queueBytes = Runtime.getRuntime().maxMemory() / DEFAULT_QUEUE_SHARE_OF_HEAP;
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private final List<EventInterceptor> interceptors = new ArrayList<>();
        private long drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS;
        private long completionLingerMs = DEFAULT_COMPLETION_LINGER_MS;
        private CompletionMode completionMode = DEFAULT_COMPLETION_MODE;
        private Ordering ordering = Ordering.NONE;
        private Clock clock = Clock.systemUTC();
        private LongSupplier nanoTime = System::nanoTime;
        private Function<String, ThreadFactory> threads =
                duty -> new DaemonThreadFactory(ThreadNames.prefix(duty, store().tableName()));

        private Builder() {}

        /** Where the connections for recording outcomes come from. Required. */
        public Builder connectionProvider(ConnectionProvider connectionProvider) {
            this.connectionProvider = connectionProvider;
            return this;
        }

        /**
         * Where the connections for renewing leases come from. With claim locking, a listener that runs for longer than the lease depends
         * on them: give a source of its own to an application whose listeners may use up the other one. Default: the
         * {@link #connectionProvider connectionProvider}.
         */
        public Builder leaseConnectionProvider(ConnectionProvider leaseConnectionProvider) {
            this.leaseConnectionProvider = Objects.requireNonNull(leaseConnectionProvider, "leaseConnectionProvider");
            return this;
        }

        /** Where outcomes are recorded. Required. */
        public Builder outboxStore(OutboxStore outboxStore) {
            this.outboxStore = outboxStore;
            return this;
        }

        /** Who listens to which event. Required. */
        public Builder listenerRegistry(ListenerRegistry listenerRegistry) {
            this.listenerRegistry = listenerRegistry;
            return this;
        }

        /** Knows what is queued or running. Default: a {@link DefaultInFlightTracker} without time to live. */
        public Builder inFlightTracker(InFlightTracker inFlightTracker) {
            this.inFlightTracker = Objects.requireNonNull(inFlightTracker, "inFlightTracker");
            return this;
        }

        /** How long a failed event waits. Default: exponential backoff from 200 ms to 60 s. */
        public Builder retryPolicy(RetryPolicy retryPolicy) {
            this.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy");
            return this;
        }

        /** How many failures make an event DEAD; with 1 the first is final. Default: {@value #DEFAULT_MAX_ATTEMPTS}. */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = Require.atLeast(1, maxAttempts, "maxAttempts");
            return this;
        }

        /** What is kept and logged of an error. Default: {@link ErrorSummary#withoutContent()}. */
        public Builder errorSummary(ErrorSummary errorSummary) {
            this.errorSummary = Objects.requireNonNull(errorSummary, "errorSummary");
            return this;
        }

        /** How a log line shows the tenant of an event, for example not at all. Default: as it is. */
        public Builder tenantInLogs(UnaryOperator<String> tenantInLogs) {
            this.tenantInLogs = Objects.requireNonNull(tenantInLogs, "tenantInLogs");
            return this;
        }

        /**
         * How many events are delivered at the same time. With 0 nothing is processed. Default: {@value #DEFAULT_WORKER_COUNT}.
         */
        public Builder workerCount(int workerCount) {
            this.workerCount = Require.atLeast(0, workerCount, "workerCount");
            return this;
        }

        /** How many events may wait after their commit. Default: {@value #DEFAULT_QUEUE_CAPACITY}. */
        public Builder hotQueueCapacity(int hotQueueCapacity) {
            this.hotQueueCapacity = Require.atLeast(1, hotQueueCapacity, "hotQueueCapacity");
            return this;
        }

        /** How many events from the table may wait. Default: {@value #DEFAULT_QUEUE_CAPACITY}. */
        public Builder coldQueueCapacity(int coldQueueCapacity) {
            this.coldQueueCapacity = Require.atLeast(1, coldQueueCapacity, "coldQueueCapacity");
            return this;
        }

        /**
         * How many bytes of memory the events may take that wait in both queues, half of it in each. Further events stay in the table until
         * there is room. One that takes more than that is let in when its queue is empty. Events that are being delivered are not counted.
         * Default: an eighth of the largest heap that the JVM may use.
         */
        public Builder queueBytes(long queueBytes) {
            this.queueBytes = Require.atLeast(1L, queueBytes, "queueBytes");
            return this;
        }

        /** Receives counts and gauges. Default: {@link MetricsExporter#NOOP}. */
        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Adds an interceptor after those added before. */
        public Builder interceptor(EventInterceptor interceptor) {
            this.interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
            return this;
        }

        /** Adds several interceptors. */
        public Builder interceptors(List<? extends EventInterceptor> interceptors) {
            interceptors.forEach(this::interceptor);
            return this;
        }

        /** How long {@link OutboxDispatcher#close()} waits for queued events. Default: {@value #DEFAULT_DRAIN_TIMEOUT_MS}. */
        public Builder drainTimeoutMs(long drainTimeoutMs) {
            this.drainTimeoutMs = Require.atLeast(0, drainTimeoutMs, "drainTimeoutMs");
            return this;
        }

        /**
         * How long an outcome may wait for others to share a commit with, in milliseconds. It delays the DONE mark, never a delivery.
         * Default: {@value #DEFAULT_COMPLETION_LINGER_MS}.
         */
        public Builder completionLingerMs(long completionLingerMs) {
            this.completionLingerMs = Require.atLeast(0, completionLingerMs, "completionLingerMs");
            return this;
        }

        /** What becomes of the row of a delivered event. Default: {@link CompletionMode#MARK_DONE}. */
        public Builder completionMode(CompletionMode completionMode) {
            this.completionMode = Objects.requireNonNull(completionMode, "completionMode");
            return this;
        }

        /**
         * In which order events are delivered. {@link Ordering#PER_AGGREGATE} needs a poller with claim locking, whose leases keep the
         * events of an aggregate in one process at a time; until there is one, nothing is delivered. All processes on one table must have
         * the same. Default: {@link Ordering#NONE}.
         */
        public Builder ordering(Ordering ordering) {
            this.ordering = Objects.requireNonNull(ordering, "ordering");
            return this;
        }

        /** Tells the time from which retry delays count. Default: the system's clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** By which the age of leases is reckoned. Default: {@link System#nanoTime()}. */
        Builder nanoTime(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
            return this;
        }

        /** Makes the threads for a duty. Default: daemons that are named after duty and table. */
        Builder threads(Function<String, ThreadFactory> threads) {
            this.threads = threads;
            return this;
        }

        /**
         * Makes the dispatcher and starts its workers.
         *
         * @throws NullPointerException if a required part is missing
         * @throws IllegalArgumentException if delivered events are to be deleted, or kept in order, by a store that cannot
         */
        public OutboxDispatcher build() {
            connections();
            store();
            registry();
            requireAbleTo(completionMode, store());
            requireAbleTo(ordering, store());
            OutboxDispatcher dispatcher = new OutboxDispatcher(this);
            try {
                dispatcher.start(this);
            } catch (Throwable e) {
                dispatcher.close(); // some of its threads may run already
                throw e;
            }
            return dispatcher;
        }

        private static void requireAbleTo(CompletionMode mode, OutboxStore store) {
            if (mode == CompletionMode.DELETE && !store.canDelete()) {
                throw new IllegalArgumentException("completionMode DELETE needs a store that can delete, but "
                        + store.getClass().getName() + " cannot; override canDelete and deleteAll, or use MARK_DONE");
            }
        }

        private static void requireAbleTo(Ordering ordering, OutboxStore store) {
            if (ordering == Ordering.PER_AGGREGATE && (store.ordered() == null || store.leases() == null)) {
                throw new IllegalArgumentException("ordering PER_AGGREGATE needs a store that keeps order, but "
                        + store.getClass().getName() + " does not; override ordered and leases, or use NONE");
            }
        }

        private ConnectionProvider connections() {
            return Require.set(connectionProvider, "connectionProvider");
        }

        private ConnectionProvider leaseConnections() {
            return leaseConnectionProvider == null ? connections() : leaseConnectionProvider;
        }

        private OutboxStore store() {
            return Require.set(outboxStore, "outboxStore");
        }

        private ListenerRegistry registry() {
            return Require.set(listenerRegistry, "listenerRegistry");
        }
    }
}
