package outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.config.OutboxSwitches;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.Ordering;
import outbox.dispatch.OutboxDispatcher;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.RelayLock;
import outbox.spi.TxContext;

/**
 * Builds an {@link Outbox}. With nothing but listeners it is one for a single process; {@link #claimLocking} is for several,
 * {@link #ordered} keeps the order of each aggregate, {@link #writerOnly} leaves delivery to others.
 *
 * <p>What has no method here can be set on the part itself: {@link #dispatcher}, {@link #poller}, {@link #purge}.
 */
public final class OutboxBuilder {

    /** How long a lease lasts in an ordered outbox, unless {@link #claimLocking} says otherwise. */
    public static final Duration DEFAULT_LEASE = Duration.ofMinutes(1);

    private final OutboxStore store;
    private final ConnectionProvider connections;
    private final TxContext transactions;
    private final DefaultListenerRegistry ownRegistry = new DefaultListenerRegistry();
    private final List<Consumer<OutboxDispatcher.Builder>> dispatcherSettings = new ArrayList<>();
    private final List<Consumer<OutboxPoller.Builder>> pollerSettings = new ArrayList<>();
    private final List<Consumer<OutboxPurgeScheduler.Builder>> purgeSettings = new ArrayList<>();
    private @Nullable ListenerRegistry givenRegistry;
    private boolean hasOwnListeners;
    private @Nullable EventPurger purger;
    private @Nullable Duration lease;
    private MetricsExporter metrics = MetricsExporter.NOOP;
    private boolean ordered;
    private boolean delivers = true;
    private boolean purges = true;

    OutboxBuilder(OutboxStore store, ConnectionProvider connections, TxContext transactions) {
        this.store = Objects.requireNonNull(store, "store");
        this.connections = Objects.requireNonNull(connections, "connections");
        this.transactions = Objects.requireNonNull(transactions, "transactions");
    }

    /** Delivers events of that type that have no aggregate type to the listener. */
    public OutboxBuilder listener(String eventType, EventListener listener) {
        ownRegistry.register(eventType, listener);
        hasOwnListeners = true;
        return this;
    }

    /** Delivers events of that aggregate type and event type to the listener. */
    public OutboxBuilder listener(String aggregateType, String eventType, EventListener listener) {
        ownRegistry.register(aggregateType, eventType, listener);
        hasOwnListeners = true;
        return this;
    }

    /** Delivers events of that aggregate type to the listener, except those whose event type has a listener of its own. */
    public OutboxBuilder aggregateListener(String aggregateType, EventListener listener) {
        ownRegistry.registerForAggregate(aggregateType, listener);
        hasOwnListeners = true;
        return this;
    }

    /** Delivers events to the listener that have no other listener. */
    public OutboxBuilder defaultListener(EventListener listener) {
        ownRegistry.registerDefault(listener);
        hasOwnListeners = true;
        return this;
    }

    /** Delivers events to the listeners of a registry, instead of adding listeners here one by one. */
    public OutboxBuilder listeners(ListenerRegistry registry) {
        givenRegistry = Objects.requireNonNull(registry, "registry");
        return this;
    }

    /**
     * Lets several processes share the table: each event is leased to one of them. If that process dies, its leases expire after the given
     * time and others take over.
     */
    public OutboxBuilder claimLocking(Duration lockTimeout) {
        lease = Objects.requireNonNull(lockTimeout, "lockTimeout");
        return this;
    }

    /** Delivers the events of each aggregate in their order; implies {@link #claimLocking}. */
    public OutboxBuilder ordered() {
        ordered = true;
        return this;
    }

    /** Lets only one of several processes deliver at a time; needs {@link #claimLocking}. */
    public OutboxBuilder singleActive(RelayLock relayLock) {
        Objects.requireNonNull(relayLock, "relayLock");
        return poller(settings -> settings.singleActive(relayLock));
    }

    /** Only writes: other processes deliver and purge. */
    public OutboxBuilder writerOnly() {
        delivers = false;
        purges = false;
        return this;
    }

    /** Deletes finished events, once their retention has passed, with the given purger. */
    public OutboxBuilder purger(EventPurger eventPurger) {
        purger = Objects.requireNonNull(eventPurger, "eventPurger");
        return this;
    }

    /** How long finished events are kept. */
    public OutboxBuilder retention(Duration retention) {
        return purge(settings -> settings.retention(retention));
    }

    /** Does not delete finished events: they are kept for ever, or something else deletes them. */
    public OutboxBuilder withoutPurge() {
        purges = false;
        return this;
    }

    /** Receives what happens as numbers. */
    public OutboxBuilder metrics(MetricsExporter exporter) {
        metrics = Objects.requireNonNull(exporter, "exporter");
        return this;
    }

    /**
     * Applies the settings that an operator gave by environment variables: whether this process delivers and purges, how often it polls,
     * the batch size, how long leases last (this turns claim locking on), the attempts and the retention. Anything set after this call wins.
     */
    public OutboxBuilder switches(OutboxSwitches switches) {
        delivers = delivers && switches.relayEnabled();
        purges = purges && switches.cleanerEnabled();
        claimLocking(switches.lockTtl());
        dispatcher(settings -> settings.maxAttempts(switches.maxAttempts()));
        poller(settings ->
                settings.intervalMs(switches.pollInterval().toMillis()).batchSize(switches.batchSize()));
        return retention(switches.retention());
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
        OutboxPurgeScheduler scheduler = purges && purger != null ? newPurge(purger) : null;
        if (!delivers) {
            return new Outbox(this, new OutboxWriter(transactions, store), null, null, scheduler);
        }
        OutboxDispatcher dispatcher = newDispatcher();
        try {
            OutboxWriter writer = new OutboxWriter(transactions, store, new DispatcherWriterHook(dispatcher, metrics));
            return new Outbox(this, writer, dispatcher, newPoller(dispatcher), scheduler);
        } catch (RuntimeException e) {
            dispatcher.close(); // its threads are already running
            throw e;
        }
    }

    private OutboxDispatcher newDispatcher() {
        OutboxDispatcher.Builder settings = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(registry())
                .ordering(ordered ? Ordering.PER_AGGREGATE : Ordering.NONE)
                .metrics(metrics);
        dispatcherSettings.forEach(more -> more.accept(settings));
        return settings.build();
    }

    private ListenerRegistry registry() {
        if (givenRegistry == null) {
            return ownRegistry;
        }
        if (hasOwnListeners) {
            throw new IllegalArgumentException("outbox " + name()
                    + " has both a registry and listeners of its own; register those listeners in the registry");
        }
        return givenRegistry;
    }

    private OutboxPoller newPoller(OutboxDispatcher dispatcher) {
        OutboxPoller.Builder settings = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .metrics(metrics);
        Duration lockTimeout = lease == null && ordered ? DEFAULT_LEASE : lease;
        if (lockTimeout != null) {
            settings.claimLocking(lockTimeout);
        }
        pollerSettings.forEach(more -> more.accept(settings));
        return settings.build();
    }

    private OutboxPurgeScheduler newPurge(EventPurger eventPurger) {
        OutboxPurgeScheduler.Builder settings =
                OutboxPurgeScheduler.builder().connectionProvider(connections).purger(eventPurger);
        purgeSettings.forEach(more -> more.accept(settings));
        return settings.build();
    }

    String name() {
        String table = store.tableName();
        return table == null ? "outbox" : table;
    }

    ConnectionProvider connections() {
        return connections;
    }

    OutboxStore store() {
        return store;
    }
}
