package outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.config.OutboxSwitches;
import outbox.dispatch.AddedJitterRetryPolicy;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Unroutable;
import outbox.internal.watch.PendingGate;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.PayloadTransformer;
import outbox.spi.RelayLock;
import outbox.spi.TransactionStarter;
import outbox.spi.TxContext;

/**
 * Builds an {@link Outbox}. With nothing but listeners it may share its table with other processes, retries for a day, and keeps what is DEAD.
 * {@link #ordered} keeps the order of each aggregate, {@link #writerOnly} leaves delivery to others, {@link #singleProcess} is for a table
 * that no other process uses.
 *
 * <p>What has no method here can be set on the part itself: {@link #dispatcher}, {@link #poller}, {@link #purge}.
 */
public final class OutboxBuilder {

    /** How long a lease lasts, unless {@link #claimLocking} says otherwise. */
    public static final Duration DEFAULT_LEASE = Duration.ofMinutes(1);
    /** The shortest lease that can be renewed in time. */
    public static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
    /** How often an event is tried. With the pauses between them, 1 s doubling to 10 minutes, that takes a day. */
    public static final int DEFAULT_MAX_ATTEMPTS = 152;

    /** How long an event may be due before health asks who delivers. */
    public static final Duration DEFAULT_OLDEST_PENDING = Duration.ofMinutes(10);

    private static final long FIRST_RETRY_MS = 1_000;
    private static final long LONGEST_RETRY_MS = 600_000;

    final OutboxStore store;
    final ConnectionProvider connections;
    final TxContext transactions;
    final @Nullable TransactionStarter starter;
    final ListenerRoutes routes = new ListenerRoutes();
    final List<WriterHook> hooks = new ArrayList<>();
    final List<HeaderProvider> headerProviders = new ArrayList<>();
    final List<Consumer<OutboxDispatcher.Builder>> dispatcherSettings = new ArrayList<>();
    final List<Consumer<OutboxPoller.Builder>> pollerSettings = new ArrayList<>();
    final List<Consumer<OutboxPurgeScheduler.Builder>> purgeSettings = new ArrayList<>();

    @Nullable
    ListenerRegistry givenRegistry;

    @Nullable
    EventPurger purger;

    @Nullable
    Supplier<RelayLock> relayLocks;

    @Nullable
    PayloadTransformer transformer;

    @Nullable
    Duration lease = DEFAULT_LEASE;

    long pendingLimit;
    WhenFull whenFull = WhenFull.WARN;
    Duration oldestPending = DEFAULT_OLDEST_PENDING;
    boolean createsTable;
    final Set<String> skippedChecks = new TreeSet<>();
    MetricsExporter metrics = MetricsExporter.NOOP;
    boolean ordered;
    boolean compacts;
    boolean singleActive;
    boolean delivers = true;
    boolean purges = true;

    OutboxBuilder(
            OutboxStore store,
            ConnectionProvider connections,
            TxContext transactions,
            @Nullable TransactionStarter starter) {
        this.store = Objects.requireNonNull(store, "store");
        this.connections = Objects.requireNonNull(connections, "connections");
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.starter = starter;
        dispatcher(settings -> settings.maxAttempts(DEFAULT_MAX_ATTEMPTS)
                .retryPolicy(new AddedJitterRetryPolicy(
                        FIRST_RETRY_MS, LONGEST_RETRY_MS, AddedJitterRetryPolicy.DEFAULT_MAX_JITTER_MS)));
        purge(OutboxPurgeScheduler.Builder::keepDeadByDefault);
    }

    /**
     * Delivers events of that type to the listener, whatever they are about, except those of an aggregate type that has
     * {@linkplain #listener(String, String, EventListener) one of its own} for it.
     */
    public OutboxBuilder listener(String eventType, EventListener listener) {
        routes.addForType(eventType, listener);
        return this;
    }

    /** Delivers events of that aggregate type and event type to the listener. */
    public OutboxBuilder listener(String aggregateType, String eventType, EventListener listener) {
        routes.add(aggregateType, eventType, listener);
        return this;
    }

    /** Delivers events of that aggregate type to the listener, except those whose event type has a listener. */
    public OutboxBuilder aggregateListener(String aggregateType, EventListener listener) {
        routes.addForAggregate(aggregateType, listener);
        return this;
    }

    /** Delivers events to the listener that have no other listener. */
    public OutboxBuilder defaultListener(EventListener listener) {
        routes.addDefault(listener);
        return this;
    }

    /**
     * Delivers events to the listeners of a registry, instead of adding listeners here one by one. It may get more of them later; at the start it
     * must not be {@linkplain ListenerRegistry#isEmpty() known to be empty}.
     */
    public OutboxBuilder listeners(ListenerRegistry registry) {
        givenRegistry = Objects.requireNonNull(registry, "registry");
        return this;
    }

    /**
     * How long a lease lasts: several processes may share the table, and each event is leased to one of them. If that process dies, its leases
     * expire after the given time and others take over. Default: {@link #DEFAULT_LEASE}.
     *
     * @throws IllegalArgumentException if the lease is shorter than {@link #SHORTEST_LEASE}
     */
    public OutboxBuilder claimLocking(Duration lockTimeout) {
        if (lockTimeout.compareTo(SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException(
                    "claimLocking: a lease must last at least " + SHORTEST_LEASE + ", was " + lockTimeout
                            + "; a shorter one cannot be renewed in time, and its event would be delivered twice");
        }
        lease = lockTimeout;
        return this;
    }

    /**
     * Leases nothing, which saves a little: this process is the only one that delivers events of the table. If another one does too, each of
     * them delivers every event; both notice within a minute or two, by the table of nodes, and say so as a WARNING and in their health.
     */
    public OutboxBuilder singleProcess() {
        lease = null;
        return this;
    }

    /** Delivers the events of each aggregate in their order. An event that fails keeps those behind it waiting until it succeeds or is DEAD. */
    public OutboxBuilder ordered() {
        ordered = true;
        return this;
    }

    /** Lets only one of several processes deliver at a time, the one that has the given lock. */
    public OutboxBuilder singleActive(RelayLock relayLock) {
        Objects.requireNonNull(relayLock, "relayLock");
        relayLocks = () -> relayLock;
        return singleActive();
    }

    /** Lets only one of several processes deliver at a time, the one that has the lock of the table. */
    public OutboxBuilder singleActive() {
        singleActive = true;
        return this;
    }

    /** Lets all processes deliver, each what it has leased. The default, and the opposite of {@link #singleActive()}. */
    public OutboxBuilder allActive() {
        singleActive = false;
        return this;
    }

    /** Makes the lock for {@link #singleActive()}; {@code JdbcOutbox} knows one. */
    public OutboxBuilder relayLocks(Supplier<RelayLock> locks) {
        relayLocks = Objects.requireNonNull(locks, "locks");
        return this;
    }

    /** Creates the table when the outbox is built, unless it is there: for trials and tests. It does not change an older table. */
    public OutboxBuilder createTable() {
        createsTable = true;
        return this;
    }

    /**
     * Follows what is written here. Hooks are called one after the other, each with what the one before it made of the events; inserting is
     * not their business, so their {@code insert} methods are not called. Of what is written with {@link Outbox#on} they hear {@code afterCommit} when
     * its row has been seen, whatever was said; see {@link JoinedWriter}. Likewise after a commit whose answer was lost.
     */
    public OutboxBuilder hook(WriterHook hook) {
        hooks.add(Objects.requireNonNull(hook, "hook"));
        return this;
    }

    /**
     * Carries what belongs to the writing thread in the headers of events, and makes it current again around their listeners. Of several providers
     * the later one wins. They see what {@linkplain #hook hooks} have made of the events.
     */
    public OutboxBuilder headerProvider(HeaderProvider provider) {
        headerProviders.add(Objects.requireNonNull(provider, "provider"));
        return dispatcher(settings -> settings.headerProvider(provider));
    }

    /**
     * Of these event types only the newest event of a key (aggregate type and id) matters, such as a price or a stock level: an older one that has
     * not begun when a newer one is committed is not delivered, and ends DONE with {@code (superseded)} in {@code last_error}; see {@link
     * OutboxDispatcher.Builder#onlyNewest}. Default: every event matters.
     */
    public OutboxBuilder onlyNewest(String... eventTypes) {
        String[] types = eventTypes.clone();
        compacts = compacts || types.length > 0;
        return dispatcher(settings -> settings.onlyNewest(types));
    }

    /** The hooks of the application, and ours behind them. */
    List<WriterHook> allHooks() {
        List<WriterHook> all = new ArrayList<>(hooks);
        if (!headerProviders.isEmpty()) {
            all.add(new HeadersHook(headerProviders));
        }
        return all;
    }

    /**
     * Encrypts, compresses or otherwise changes payloads on their way into the table, and back before their listener gets them. All processes on the
     * table that deliver need one that knows the same keys; an event whose key this process does not know waits.
     */
    public OutboxBuilder payloadTransformer(PayloadTransformer payloadTransformer) {
        transformer = Objects.requireNonNull(payloadTransformer, "payloadTransformer");
        return this;
    }

    /** Only writes: other processes deliver and purge. */
    public OutboxBuilder writerOnly() {
        delivers = false;
        purges = false;
        return this;
    }

    /**
     * Limits how many events may be pending: above that {@link Outbox#write} and all other writes of this outbox fail with an
     * {@link OutboxFullException}, or go on and are warned of; at nine tenths of it they go on. A thread counts every 20 seconds, from half of
     * the limit on every 5 seconds, so there may be more: a limit is an estimate. From its half on {@link Outbox#health()} tells of it.
     * Default: no limit.
     *
     * @param limit from 1 to a thousand million; counting reads up to so many entries of an index
     */
    public OutboxBuilder pendingLimit(long limit, WhenFull whenFull) {
        this.whenFull = Objects.requireNonNull(whenFull, "whenFull");
        PendingGate.of(limit, whenFull, name());
        pendingLimit = limit;
        return this;
    }

    /**
     * How long an event may be due while no process is known to deliver, before {@link Outbox#health()} calls that a problem; positive.
     * Default: {@link #DEFAULT_OLDEST_PENDING}.
     */
    public OutboxBuilder oldestPendingLimit(Duration age) {
        if (age.isZero() || age.isNegative()) {
            throw new IllegalArgumentException("oldestPendingLimit must be positive, was " + age);
        }
        oldestPending = age;
        return this;
    }

    /** Deletes finished events, once their retention has passed, with the given purger. */
    public OutboxBuilder purger(EventPurger eventPurger) {
        purger = Objects.requireNonNull(eventPurger, "eventPurger");
        return this;
    }

    /** How long DONE events are kept. Default: 7 days. */
    public OutboxBuilder retention(Duration retention) {
        return purge(settings -> settings.retention(retention));
    }

    /** How long DEAD events are kept. Default: for ever, because nobody else knows of them. */
    public OutboxBuilder deadRetention(Duration retention) {
        return purge(settings -> settings.deadRetention(retention));
    }

    /** Does not delete finished events: they are kept for ever, or something else deletes them. */
    public OutboxBuilder withoutPurge() {
        purges = false;
        return this;
    }

    /**
     * Is told of each event that ends DEAD, however it ends, after that was recorded and at least once; see {@link
     * OutboxDispatcher.Builder#deadHandler(DeadEventHandler)}. Default: nobody is told.
     */
    public OutboxBuilder deadHandler(DeadEventHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return dispatcher(settings -> settings.deadHandler(handler));
    }

    /**
     * Is told of each event that ends DEAD, however it ends, in the transaction that records it; see {@link DeadEventInTransaction}. Takes the
     * place of a {@link #deadHandler deadHandler}. Default: nobody is told.
     */
    public OutboxBuilder deadHandlerInTransaction(DeadEventInTransaction handler) {
        Objects.requireNonNull(handler, "handler");
        return dispatcher(settings -> settings.deadHandlerInTransaction(handler));
    }

    /** Receives what happens as numbers. */
    public OutboxBuilder metrics(MetricsExporter exporter) {
        metrics = Objects.requireNonNull(exporter, "exporter");
        return this;
    }

    /**
     * Applies the settings that an operator gave by environment variables: whether this process delivers and purges, how often it polls,
     * the batch size, how long leases last, the attempts and the retention of DONE events. What the operator did not set is as
     * {@link OutboxSwitches} says; retries wait 1 s doubling to 60 s, and one process at a time delivers
     * ({@link #singleActive()}). Anything set after this call wins.
     *
     * @throws IllegalArgumentException if leases are to be shorter than {@link #SHORTEST_LEASE}
     */
    public OutboxBuilder switches(OutboxSwitches switches) {
        delivers = delivers && switches.relayEnabled();
        purges = purges && switches.cleanerEnabled();
        claimLocking(leaseOf(switches));
        singleActive();
        dispatcher(settings ->
                settings.maxAttempts(switches.maxAttempts()).retryPolicy(AddedJitterRetryPolicy.withDefaults()));
        poller(settings ->
                settings.intervalMs(switches.pollInterval().toMillis()).batchSize(switches.batchSize()));
        if (switches.cleanerDeadEnabled()) {
            deadRetention(switches.retention());
        }
        return retention(switches.retention());
    }

    /** A poller built by hand may have a shorter one, so only this refuses it. */
    private static Duration leaseOf(OutboxSwitches switches) {
        if (switches.lockTtl().compareTo(SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException("Environment variable " + OutboxSwitches.RELAY_LOCK_TTL
                    + " must be at least " + SHORTEST_LEASE.toSeconds() + "s for an outbox, was "
                    + switches.lockTtl()
                    + ": a shorter lease cannot be renewed in time, and its event would be delivered twice; correct it, or remove"
                    + " it to use the default");
        }
        return switches.lockTtl();
    }

    /** What becomes of events that have no listener in this process. Default: {@link Unroutable#WAIT}, for one that has. */
    public OutboxBuilder unroutable(Unroutable unroutable) {
        Objects.requireNonNull(unroutable, "unroutable");
        return dispatcher(settings -> settings.unroutable(unroutable));
    }

    /**
     * Leaves checks out of the preflight, by their names; an unknown one is refused when the outbox is built.
     *
     * @see Outbox#preflight()
     */
    public OutboxBuilder skipPreflight(String... checks) {
        skippedChecks.addAll(List.of(checks));
        return this;
    }

    /** Sets any other option of the dispatcher. */
    public OutboxBuilder dispatcher(Consumer<OutboxDispatcher.Builder> settings) {
        dispatcherSettings.add(Objects.requireNonNull(settings, "settings"));
        return this;
    }

    /** Sets any other option of the poller. */
    public OutboxBuilder poller(Consumer<OutboxPoller.Builder> settings) {
        pollerSettings.add(Objects.requireNonNull(settings, "settings"));
        return this;
    }

    /** Sets any other option of the purge. */
    public OutboxBuilder purge(Consumer<OutboxPurgeScheduler.Builder> settings) {
        purgeSettings.add(Objects.requireNonNull(settings, "settings"));
        return this;
    }

    /**
     * Makes the outbox. Nothing is taken from the table before {@link Outbox#start()}.
     *
     * @throws IllegalArgumentException if settings do not fit together
     */
    public Outbox build() {
        return new OutboxAssembly(this).outbox();
    }

    PendingGate newGate() {
        return pendingLimit == 0 ? PendingGate.open() : PendingGate.of(pendingLimit, whenFull, name());
    }

    String name() {
        String table = store.tableName();
        return table == null ? "outbox" : table;
    }

    /** Who listens: the given registry, or what was registered here. */
    ListenerRegistry registry() {
        return givenRegistry == null ? routes : givenRegistry;
    }
}
