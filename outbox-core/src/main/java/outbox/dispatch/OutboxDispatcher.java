package outbox.dispatch;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.BreakerSettings;
import outbox.DeadEventHandler;
import outbox.DeadEventInTransaction;
import outbox.FailureClassifier;
import outbox.HeaderProvider;
import outbox.Listener;
import outbox.internal.GuardedMetrics;
import outbox.internal.check.Require;
import outbox.internal.dead.DeadTeller;
import outbox.internal.dead.Deaths;
import outbox.internal.dead.NoticeRoutes;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.LeaseKeeper;
import outbox.internal.node.NodePresence;
import outbox.internal.outcome.CompletionBuffer;
import outbox.internal.outcome.CompletionWriter;
import outbox.internal.outcome.Recorder;
import outbox.internal.outcome.StoreMarks;
import outbox.internal.outcome.Verdicts;
import outbox.internal.payload.PayloadTransforms;
import outbox.internal.task.Alarms;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.EventNames;
import outbox.internal.text.RowWords;
import outbox.internal.text.StoredText;
import outbox.model.EventRoute;
import outbox.model.ListenerState;
import outbox.model.NodeMode;
import outbox.model.OutboxFigures;
import outbox.model.OutboxHealth;
import outbox.model.Pause;
import outbox.model.PauseTarget;
import outbox.model.Relaying;
import outbox.registry.ListenerRegistry;
import outbox.spi.CompactionStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.PayloadTransformer;
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
    public static final int DEFAULT_CRASH_BUDGET = 3;
    public static final long DEFAULT_DRAIN_TIMEOUT_MS = 5000;
    public static final long DEFAULT_COMPLETION_LINGER_MS = 5;
    public static final CompletionMode DEFAULT_COMPLETION_MODE = CompletionMode.MARK_DONE;

    /** One listener's events may wait in this part of a queue, one divided by so much, before no more are taken from the table. */
    private static final int WAITING_SHARE = 8;

    /** The most outcomes that share a statement; larger groups gain little more. */
    private static final int COMPLETION_GROUP_SIZE = 500;

    private static final Duration NODE_ENDS_WITHIN = Duration.ofSeconds(10);

    private final LeaseBook leases;
    private final CompletionBuffer completions;
    private final EventFlow flow;
    private final @Nullable LeaseKeeper keeper;
    private final @Nullable NodePresence presence;
    private final Verdicts verdicts;
    private final Listeners listeners;
    private final Pausing pausing;
    private final @Nullable DispatcherThreads threads;
    private final @Nullable Gates gates;
    private final Alarms alarms;
    private volatile @Nullable CompletionReport report;
    private final CompletionMode completionMode;
    private final Clock clock;
    private final Deaths deaths;
    private final @Nullable Compaction compaction;
    private final Set<String> onlyNewest;

    private OutboxDispatcher(Builder builder) {
        this.deaths = builder.deaths();
        this.onlyNewest = Set.copyOf(builder.onlyNewest);
        this.completionMode = builder.completionMode;
        this.clock = builder.clock;
        OutboxStore store = builder.store();
        builder.transforms.requireStore(store);
        EventNames names = new EventNames(store.tableName(), builder.tenantInLogs);
        this.leases = new LeaseBook(builder.nanoTime);
        this.completions = new CompletionBuffer(COMPLETION_GROUP_SIZE, builder.completionLingerMs);
        this.threads = builder.workerCount == 0
                ? null
                : new DispatcherThreads(
                        builder.threads.apply("dispatcher"),
                        builder.threads.apply("completer"),
                        builder.drainTimeoutMs,
                        builder.nanoTime,
                        GuardedMetrics.of(builder.metrics));
        this.verdicts = builder.verdicts();
        this.listeners = builder.listeners(names, verdicts);
        this.pausing = new Pausing(store, builder.leaseConnections(), builder.nanoTime);
        // Without workers it was told not to deliver; that is no reason to refuse events.
        this.flow = new EventFlow(
                builder.flowSettings(names, listeners),
                leases,
                threads == null ? () -> true : this::canTakeMore,
                completions::hurry,
                new KeeperOfLeases());
        this.compaction = builder.compaction(names, () -> flow.comesAfter(Duration.ZERO));
        if (compaction != null) {
            flow.tellsCommitted(compaction::committed);
        }
        this.alarms = builder.alarms == null ? new Alarms.OnThread(builder.threads.apply("alarms")) : builder.alarms;
        this.gates = threads == null ? null : newGates(builder, threads);
        LeaseStore leaseStore = store.leases();
        this.keeper = leaseStore == null
                ? null
                : new LeaseKeeper(
                        leases,
                        leaseStore,
                        builder.leaseConnections(),
                        store.tableName(),
                        new FlowHolder(flow, this::isAlive));
        this.presence =
                leaseStore == null ? null : new NodePresence(leaseStore, builder.leaseConnections(), store.tableName());
    }

    private Gates newGates(Builder builder, DispatcherThreads shift) {
        DeliveryLookups lookups = new DeliveryLookups(builder.store(), builder.connections(), leases);
        DeliverySteps steps = new DeliverySteps(new DeliverySteps.Parts(
                flow,
                listeners,
                completions,
                shift,
                pausing,
                new RunningDelivery.Surroundings(
                        lookups,
                        builder.clock::instant,
                        new CarriedHeaders(builder.headerProviders),
                        builder.transforms),
                compaction));
        Gates all = new Gates(
                new Gates.Parts(
                        flow,
                        steps,
                        listeners,
                        completions,
                        shift,
                        GuardedMetrics.of(builder.metrics),
                        verdicts,
                        alarms,
                        builder.nanoTime,
                        pausing.board(),
                        builder.threads.apply("listener")),
                builder.gateDefaults(),
                builder.registry());
        listeners.guardedBy(all::statusOf, pausing.board()::isPaused);
        pausing.tells(someGoOn -> {
            all.pausesChanged();
            if (someGoOn) {
                flow.comesAfter(Duration.ZERO);
            }
        });
        flow.tellsGone(event -> all.of(event.envelope()).gate().gone(event));
        return all;
    }

    private boolean canTakeMore() {
        return threads != null && threads.canTakeMore() && !pausing.board().isOutboxPaused();
    }

    private boolean isAlive() {
        return threads == null || threads.canWork();
    }

    private int waiting() {
        EventQueues queues = flow.parts().queues();
        return queues.depth(QueuedEvent.Source.HOT) + queues.depth(QueuedEvent.Source.COLD);
    }

    /** The keeper needs the flow, and the flow the keeper, which a store without leases does not have. */
    private final class KeeperOfLeases implements LeaseWork {

        @Override
        public void releaseGivenBack() {
            if (keeper != null) {
                keeper.releaseGivenBack();
            }
        }

        @Override
        public boolean writeDown(String eventId, int attempts) {
            return keeper != null && keeper.writeDown(eventId, attempts);
        }

        @Override
        public void renewSoon() {
            if (keeper != null) {
                keeper.renewSoon();
            }
        }
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
        return flow.intake().hot(event);
    }

    /**
     * Queues an event that was found in the table.
     *
     * @return false if the queue is full or the dispatcher is closing; true if it was queued, or already was
     */
    public boolean enqueueCold(QueuedEvent event) {
        return flow.intake().cold(event);
    }

    /** What becomes of the rows of delivered events. */
    public CompletionMode completionMode() {
        return completionMode;
    }

    /** What is done when events end DEAD; for those who mark them. */
    Deaths deaths() {
        return deaths;
    }

    /** Whether the table has what is needed, where only the newest event of a key matters. */
    void checkCompaction(Connection conn) {
        if (compaction != null) {
            compaction.checkSchema(conn);
        }
    }

    /** The event types of which only the newest event of a key is delivered. */
    public Set<String> onlyNewest() {
        return onlyNewest;
    }

    /** What is on its way here; for those who tell it what happened. */
    EventFlow flow() {
        return flow;
    }

    /** Turns leases on if the store has them; see {@link LeaseKeeper#begin}. */
    String claimsAs(String ownerId, Duration timeout) {
        if (keeper == null) {
            return ownerId;
        }
        if (threads != null) {
            threads.leasesLast(timeout, this::waiting);
        }
        return keeper.begin(ownerId, timeout);
    }

    /** Shows this process among those that deliver from the table, if the store can. */
    void deliversAs(NodeMode mode, String nameWithoutLeases) {
        if (presence != null) {
            presence.begin(leases.isOn() ? leases.ownerId() : nameWithoutLeases, mode);
        }
    }

    /** Who listens to what; for those that must know whether anybody does. */
    Listeners listeners() {
        return listeners;
    }

    /**
     * The kinds of events that wait in the table, as far as is known, because nobody in this process listens to them; see {@link
     * Builder#unroutable}. Always empty with {@link Unroutable#DEAD}. That others have delivered them is noticed after ten minutes.
     */
    public Set<EventRoute> waitingRoutes() {
        WaitingRoutes waiting = listeners.waiting();
        return waiting == null ? Set.of() : waiting.withoutListener();
    }

    /** How the listeners are doing that this process has had events for, or knows by name; by name. */
    public List<ListenerState> listenerStates() {
        return gates == null ? List.of() : gates.states();
    }

    /**
     * Pauses something in this process: its events stay in the table, and deliveries that are under way go on. Pausing again changes the reason.
     *
     * @param reason for whoever asks why nothing is delivered
     * @throws IllegalArgumentException if a listener is to be paused, and there is none of that name
     */
    public void pause(PauseTarget target, String reason) {
        requireListener(target);
        pausing.board().pauseHere(new Pause(target, reason, null, clock.instant()));
    }

    /**
     * Takes back what {@link #pause} said.
     *
     * @return whether it was paused in this process
     * @throws IllegalArgumentException if it is a listener, and there is none of that name
     */
    public boolean resume(PauseTarget target) {
        requireListener(target);
        return pausing.board().resumeHere(target);
    }

    private void requireListener(PauseTarget target) {
        if (target.kind() == PauseTarget.Kind.LISTENER) {
            gatesNamed(target.name());
        }
    }

    /** What is paused here, also by other processes for all, as far as this process knows. */
    public List<Pause> pauses() {
        return pausing.board().all();
    }

    /** Reads at once what is paused for all processes, because somebody has changed it. */
    public void sharedPausesChanged() {
        pausing.sharedChanged();
    }

    /**
     * Decides by hand whether a listener's breaker is open.
     *
     * @param open null leaves it to the breaker again, which begins with a probe if it was open
     * @throws IllegalArgumentException if there is no listener of that name, or it has no breaker
     */
    public void setBreaker(String name, @Nullable Boolean open) {
        for (ListenerGate gate : gatesNamed(name)) {
            if (!gate.gate().hasBreaker()) {
                throw new IllegalArgumentException("listener \"" + name
                        + "\" has no breaker; give it one with Listener.breaker(...), or pause the listener");
            }
            gate.gate().setBreaker(open);
        }
    }

    private List<ListenerGate> gatesNamed(String name) {
        Objects.requireNonNull(name, "name");
        List<ListenerGate> found = gates == null ? List.of() : gates.named(name);
        if (found.isEmpty()) {
            throw new IllegalArgumentException("there is no listener \"" + name + "\" in this process; known are "
                    + listenerStates().stream().map(ListenerState::name).toList());
        }
        return found;
    }

    /**
     * How many events the cold queue can still take as far as their number goes; 0 once the dispatcher is closing. It may take fewer if they
     * are large, see {@link Builder#queueBytes}.
     */
    public int coldQueueRemainingCapacity() {
        return flow.coldRoom();
    }

    /**
     * Whether the threads of this dispatcher do what they are there for. One that has failed is begun again; while none can deliver or record,
     * nothing is taken over, leases are not renewed and what was not begun is given back. With leases, if all workers
     * are in one delivery each for longer than half a lease and 30 seconds while events wait, what was not begun is given back until one returns.
     * Another process that delivers from the table counts as a problem if one of both leases nothing. A closed dispatcher has no problems.
     */
    public OutboxHealth health() {
        List<String> problems = new ArrayList<>();
        if (threads != null && !flow.isClosed()) {
            problems.addAll(threads.problems());
        }
        for (ListenerState listener : listenerStates()) {
            if (listener.paused() != null && pausing.board().ofListener(listener.name()) == null) {
                problems.add("listener " + listener.name() + " is paused: " + listener.paused());
            }
        }
        String leaseProblem = keeper == null ? null : keeper.problem();
        if (leaseProblem != null) {
            problems.add(leaseProblem);
        }
        String neighbours = presence == null ? null : presence.problem();
        if (neighbours != null) {
            problems.add(neighbours);
        }
        CompletionReport told = report;
        int stuck = threads == null || flow.isClosed() ? 0 : threads.stuckDeliveries();
        return new OutboxHealth(
                problems,
                flow.isClosed()
                        ? List.of()
                        : pauses().stream()
                                .map(pause -> StoredText.inOneLine(pause.toString()))
                                .toList(),
                new OutboxFigures(null, told == null ? null : told.lastDelivery(), stuck, Relaying.UNKNOWN, null));
    }

    /**
     * Stops accepting events and waits until the queued ones are processed, at most for the drain timeout. Then the workers are
     * interrupted and what is left stays pending in the table. A database that does not answer lengthens this by ten seconds at most.
     * Closing twice is harmless.
     */
    @Override
    public void close() {
        flow.close();
        if (threads == null || gates == null) {
            flow.discardWaiting();
        } else {
            gates.close();
            threads.stop(this::giveUpWaiting, gates.elsewhere(), completions::close);
            gates.end();
        }
        alarms.close();
        if (compaction != null) {
            compaction.close();
        }
        closeNode();
        pausing.close();
        listeners.close();
        flow.tellAllRefused();
    }

    /** Leases and the place among the nodes have the same time together, should the database not answer. */
    private void closeNode() {
        long start = System.nanoTime();
        if (presence != null) {
            presence.stopSoon();
        }
        if (keeper != null) {
            keeper.close();
        }
        if (presence != null) {
            Duration left = NODE_ENDS_WITHIN.minusNanos(System.nanoTime() - start);
            presence.close(left.isNegative() ? Duration.ZERO : left);
        }
    }

    /** Also lets go of workers that wait for room for an outcome: there is no more time. */
    private int giveUpWaiting() {
        completions.refuseWhenFull();
        if (gates != null) {
            gates.end();
        }
        return flow.discardWaiting();
    }

    private void start(Builder builder) {
        if (threads == null || gates == null) {
            return;
        }
        StoreMarks marks = new StoreMarks(
                builder.markedStore(),
                leases::ownerId,
                builder.completionMode == CompletionMode.DELETE,
                CompletionWriter.TIME_LIMIT,
                new StoreMarks.Special(deaths, compaction == null ? any -> false : compaction::concerns));
        CompletionReport told = new CompletionReport(
                flow, GuardedMetrics.of(builder.metrics), builder.clock, deaths::areTold, compaction);
        report = told;
        Recorder recorder = new Recorder(
                completions,
                COMPLETION_GROUP_SIZE,
                listener -> new CompletionWriter(builder.connections(), marks, threads::pauseUnlessForced, listener),
                threads::pauseUnlessForced,
                told);
        threads.start(recorder, new DeliveryRun(flow, listeners, gates, threads), builder.workerCount);
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
        private int crashBudget = DEFAULT_CRASH_BUDGET;
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
        private boolean clearsErrors;
        private Ordering ordering = Ordering.NONE;
        private Unroutable unroutable = Unroutable.DEAD;
        private FailureClassifier classifier = FailureClassifier.none();
        private @Nullable BreakerSettings breaker;
        private @Nullable Duration listenerTimeout;
        private boolean fairWorkers;
        private final Set<String> onlyNewest = new TreeSet<>();
        private final List<HeaderProvider> headerProviders = new ArrayList<>();
        private @Nullable Function<DeadTeller.Parts, Listener> deadTeller;
        private @Nullable DeadEventInTransaction deadInTransaction;
        private @Nullable NoticeRoutes routes;
        private @Nullable Alarms alarms;
        private PayloadTransforms transforms = PayloadTransforms.NONE;
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

        /**
         * How many deliveries of an event may in a row end together with their process before it is DEAD. Only deliveries count that were written
         * down, which is done once an event was taken over from a process that is gone: so it ends a process once more than this. Apart from
         * {@link #maxAttempts}, with the same pauses. 1 to 99; default: {@value OutboxDispatcher#DEFAULT_CRASH_BUDGET}.
         */
        public Builder crashBudget(int crashBudget) {
            Require.atLeast(1, crashBudget, "crashBudget");
            if (crashBudget > RowWords.MOST_CRASHES) {
                throw new IllegalArgumentException(
                        "crashBudget must be <= " + RowWords.MOST_CRASHES + ", was " + crashBudget);
            }
            this.crashBudget = crashBudget;
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

        /**
         * Encrypts, compresses or otherwise changes payloads on their way into the table, and back before their listener gets them. Default: none. An
         * event that was transformed with a key that is not known here waits, without using up attempts.
         */
        public Builder payloadTransformer(PayloadTransformer payloadTransformer) {
            this.transforms = PayloadTransforms.of(Objects.requireNonNull(payloadTransformer, "payloadTransformer"));
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
         * Clears the error of an earlier failure when the event is delivered after all, with the same statement that marks it DONE. Default: the
         * last error stays, for whoever wants to know why a delivery took long.
         */
        public Builder clearErrorWhenDone() {
            this.clearsErrors = true;
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

        /** What becomes of events that have no listener here. Default: {@link Unroutable#DEAD}. */
        public Builder unroutable(Unroutable unroutable) {
            this.unroutable = Objects.requireNonNull(unroutable, "unroutable");
            return this;
        }

        /**
         * What failures mean, as far as a listener's own classifier does not know. Default: nothing is known but {@link
         * FailureClassifier#ownExceptions()}, and every other failure counts as an attempt.
         */
        public Builder classifier(FailureClassifier classifier) {
            this.classifier = Objects.requireNonNull(classifier, "classifier");
            return this;
        }

        /** The breaker of listeners that have none of their own settings. Default: none. */
        public Builder breaker(BreakerSettings breaker) {
            this.breaker = Objects.requireNonNull(breaker, "breaker");
            return this;
        }

        /** How long a delivery may take, for listeners that say nothing else; see {@link Listener#timeout}. Default: for ever. */
        public Builder listenerTimeout(Duration timeout) {
            this.listenerTimeout = Require.positive(timeout, "listenerTimeout");
            return this;
        }

        /**
         * Keeps a worker free for the others: if there are several listeners, none of them is called by all workers at once, unless it says itself
         * how many deliveries may run. Default: who comes first is served first.
         */
        public Builder fairWorkers() {
            this.fairWorkers = true;
            return this;
        }

        /**
         * Is told of each event that ends DEAD, however it ends, after that was recorded and at least once. For that the mark of such an event also
         * writes a notice, an event of type {@code outbox.EventDied}, which this process or another one with a handler delivers; so there must be a
         * poller. Default: nobody is told.
         */
        public Builder deadHandler(DeadEventHandler handler) {
            return deadHandler(handler, UnaryOperator.identity());
        }

        /**
         * As {@link #deadHandler(DeadEventHandler)}, with settings for how it is called: concurrency, timeout, pauses between tries, breaker.
         *
         * @param settings of the listener that calls it; its attempts are never used up
         */
        public Builder deadHandler(DeadEventHandler handler, UnaryOperator<Listener> settings) {
            Objects.requireNonNull(handler, "handler");
            Objects.requireNonNull(settings, "settings");
            this.deadTeller = parts -> DeadTeller.telling(parts, handler, settings);
            this.deadInTransaction = null;
            return this;
        }

        /**
         * Is told of each event that ends DEAD, however it ends, in the transaction that records it; see {@link DeadEventInTransaction}. Takes the
         * place of a {@link #deadHandler(DeadEventHandler) deadHandler}. Default: nobody is told.
         */
        public Builder deadHandlerInTransaction(DeadEventInTransaction handler) {
            Objects.requireNonNull(handler, "handler");
            this.deadTeller = parts -> DeadTeller.telling(parts, handler, UnaryOperator.identity());
            this.deadInTransaction = handler;
            return this;
        }

        /**
         * Of these event types only the newest event of a key (aggregate type and id) matters, such as a price or a stock level: an older one that has
         * not begun when a newer one of its key and type is committed is not delivered, and ends DONE with {@code (superseded)} in {@code
         * last_error}; told to {@link outbox.spi.ListenerMetrics#eventsSuperseded}. Needs claim locking, and in the table what order needs. All
         * processes on the table should be told the same types. May be called more than once. Default: every event matters.
         */
        public Builder onlyNewest(String... eventTypes) {
            for (String eventType : eventTypes) {
                onlyNewest.add(Require.text(eventType, "eventType"));
            }
            return this;
        }

        /**
         * Makes current around listeners what events carry in their headers. What is written gets it by {@link
         * outbox.WriterHook#withHeaders}. Providers are restored in the order in which they were added, and put back in the opposite one.
         */
        public Builder headerProvider(HeaderProvider provider) {
            headerProviders.add(Objects.requireNonNull(provider, "provider"));
            return this;
        }

        /** Tells the time from which retry delays count. Default: the system's clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Does what is to be done at a time. Default: on a thread that is made when it is needed. */
        Builder alarms(Alarms alarms) {
            this.alarms = alarms;
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
         * @throws IllegalArgumentException if delivered events are to be deleted, kept in order or cleared of errors by a store that cannot
         */
        public OutboxDispatcher build() {
            routes = null;
            connections();
            store();
            registry();
            if (completionMode == CompletionMode.DELETE) {
                StoreMarks.requireAbleToDelete(store());
            }
            requireAbleTo(ordering, store());
            requireAbleToCompact();
            markedStore();
            OutboxDispatcher dispatcher = new OutboxDispatcher(this);
            try {
                dispatcher.start(this);
            } catch (Throwable e) {
                dispatcher.close(); // some of its threads may run already
                throw e;
            }
            return dispatcher;
        }

        private static void requireAbleTo(Ordering ordering, OutboxStore store) {
            if (ordering == Ordering.PER_AGGREGATE && (store.ordered() == null || store.leases() == null)) {
                throw new IllegalArgumentException("ordering PER_AGGREGATE needs a store that keeps order, but "
                        + store.getClass().getName() + " does not; override ordered and leases, or use NONE");
            }
        }

        private void requireAbleToCompact() {
            if (!onlyNewest.isEmpty() && (store().compaction() == null || store().leases() == null)) {
                throw new IllegalArgumentException(
                        "onlyNewest " + onlyNewest + " needs a store that knows which events are newer, but "
                                + store().getClass().getName()
                                + " does not; override compaction and leases, or leave onlyNewest out");
            }
        }

        private @Nullable Compaction compaction(EventNames names, Runnable someEnded) {
            CompactionStore compacting = store().compaction();
            if (onlyNewest.isEmpty() || compacting == null) {
                return null;
            }
            Compaction.Parts parts = new Compaction.Parts(
                    compacting,
                    ordering == Ordering.PER_AGGREGATE ? store().ordered() : null,
                    connections(),
                    GuardedMetrics.of(metrics),
                    names);
            return new Compaction(parts, onlyNewest, store().tableName(), someEnded);
        }

        private Listeners listeners(EventNames names, Verdicts verdicts) {
            ListenerRegistry registry = registry();
            Listeners.Waiting waiting = new Listeners.Waiting(
                    unroutable,
                    standing -> new WaitingRoutes(
                            standing,
                            new WaitingRoutesLog(registry, names),
                            GuardedMetrics.of(metrics)::recordWaitingRoutes,
                            nanoTime));
            return new Listeners(
                    registry, interceptors, names, waiting, new FailureTeller(verdicts::summary, nanoTime));
        }

        private FlowSettings flowSettings(EventNames names, Listeners listeners) {
            return new FlowSettings(
                    hotQueueCapacity,
                    coldQueueCapacity,
                    queueBytes / 2,
                    inFlightTracker,
                    ordering == Ordering.PER_AGGREGATE ? store().ordered() : null,
                    connections(),
                    metrics,
                    clock,
                    names,
                    listeners,
                    transforms);
        }

        private Verdicts verdicts() {
            return new Verdicts(new Verdicts.Rules(
                    retryPolicy::computeDelayMs,
                    ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS,
                    maxAttempts,
                    crashBudget,
                    UnroutableEventException.class::isInstance,
                    errorSummary::of,
                    clock,
                    classifier.orElse(FailureClassifier.ownExceptions())));
        }

        private Gates.Defaults gateDefaults() {
            int share =
                    fairWorkers && registry().byName().size() > 1 ? Math.max(1, workerCount - 1) : Integer.MAX_VALUE;
            return new Gates.Defaults(breaker, listenerTimeout, share, Math.max(1, coldQueueCapacity / WAITING_SHARE));
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

        private OutboxStore markedStore() {
            try {
                return clearsErrors ? store().clearingErrors() : store();
            } catch (UnsupportedOperationException e) {
                throw new IllegalArgumentException(
                        "clearErrorWhenDone needs a store that clears errors, but "
                                + store().getClass().getName()
                                + " does not; override clearingErrors, or leave clearErrorWhenDone out",
                        e);
            }
        }

        /** The listeners, without those of notices. One for each build: the listener of notices must be one and the same. */
        private ListenerRegistry registry() {
            ListenerRegistry given = Require.set(listenerRegistry, "listenerRegistry");
            NoticeRoutes made = routes;
            if (made == null) {
                Function<DeadTeller.Parts, Listener> teller = deadTeller;
                made = new NoticeRoutes(
                        given,
                        teller == null
                                ? null
                                : teller.apply(new DeadTeller.Parts(
                                        store(), connections(), classifier.orElse(FailureClassifier.ownExceptions()))));
                routes = made;
            }
            return made;
        }

        private Deaths deaths() {
            return deadTeller == null ? Deaths.UNTOLD : Deaths.told(store(), deadInTransaction, clock);
        }
    }
}
