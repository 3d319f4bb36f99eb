package outbox.proof.node;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.BreakerSettings;
import outbox.EventEnvelope;
import outbox.Listener;
import outbox.OutboxWriter;
import outbox.WriterHook;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.TableName;
import outbox.jdbc.relay.JdbcRelayLocks;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.poller.OutboxPoller;
import outbox.proof.process.Accounts;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;
import outbox.spi.TxContext;

/** One outbox of a node, as an application has it. */
final class ProvenOutbox implements AutoCloseable {

    static final String EVENT_TYPE = "Booked";
    private static final String AGGREGATE_TYPE = "Account";
    private static final String HELD_TYPE = "HeldAccount";

    private static final long FIRST_RETRY_MILLIS = 100;

    /** All attempts together outlast listeners and consumers that fail for a while, and poison is dead soon all the same. */
    private static final long RETRYING_MILLIS = 25_000;

    private static final long SHORT_RETRY_MILLIS = 20;

    /** Probes often enough to go on soon after the receiver is back. */
    private static final BreakerSettings BREAKER =
            BreakerSettings.whenAway().pauses(Duration.ofMillis(200), Duration.ofSeconds(2));

    /** Enough for listeners that wait for somebody else. */
    private static final int WORKERS = 8;

    private final String table;
    private final boolean consumed;
    private final boolean ordered;
    private final boolean holdsKeys;
    private final boolean diesSoon;
    private final CountingTracker inFlight;
    private final OutboxDispatcher dispatcher;
    private final OutboxPoller poller;
    private final OutboxWriter writer;

    ProvenOutbox(
            String table,
            NodeSettings settings,
            DataSource pool,
            TxContext transactions,
            Clock clock,
            Journaled journaled) {
        this.table = table;
        this.inFlight = journaled.inFlight();
        this.consumed = settings.isConsumed(table);
        Configuration configuration = configuration(settings, table);
        this.ordered = configuration.isOrdered();
        this.holdsKeys = configuration.holdsKeys();
        this.diesSoon = configuration.diesSoon();
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
        OutboxStore store = JdbcOutboxStores.on(pool, TableName.of(table));
        Listener listener = configuration.listening.listener(journaled);
        this.dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry()
                        .register(AGGREGATE_TYPE, EVENT_TYPE, listener)
                        .register(HELD_TYPE, EVENT_TYPE, listener.holdingKeyAfterDead()))
                .breaker(BREAKER)
                .ordering(configuration.ordering)
                .completionMode(configuration.completion)
                .inFlightTracker(inFlight)
                .workerCount(WORKERS)
                .retryPolicy(attempts -> diesSoon ? SHORT_RETRY_MILLIS : pause(attempts, settings.maxAttempts()))
                .maxAttempts(settings.maxAttempts())
                .drainTimeoutMs(10_000)
                .clock(clock)
                .build();
        OutboxPoller.Builder polling = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(settings.lease())
                .intervalMs(100)
                .batchSize(200)
                .clock(clock);
        if (configuration.singleActive) {
            polling.singleActive(JdbcRelayLocks.forTable(pool, TableName.of(table)));
        }
        this.poller = polling.build();
        @Nullable WriterHook hook = configuration.hot ? new DispatcherWriterHook(dispatcher) : null;
        this.writer = new OutboxWriter(transactions, store, hook);
        poller.start();
    }

    private static long pause(int attempts, int maxAttempts) {
        return Math.min(FIRST_RETRY_MILLIS << Math.min(attempts - 1, 10), RETRYING_MILLIS / maxAttempts);
    }

    private static Configuration configuration(NodeSettings settings, String table) {
        Configuration configuration = settings.outboxes().get(table);
        if (configuration == null) {
            throw new IllegalArgumentException("no outbox " + table + " in " + settings);
        }
        return configuration;
    }

    String table() {
        return table;
    }

    /** Whether its events go to consumers, which have more to do for each than a listener. */
    boolean isConsumed() {
        return consumed;
    }

    /** Whether the events of an account come in order. */
    boolean isOrdered() {
        return ordered;
    }

    /** Whether accounts may have to wait for a person. */
    boolean holdsKeys() {
        return holdsKeys;
    }

    /** Whether many events die, after a short time. */
    boolean diesSoon() {
        return diesSoon;
    }

    /** The type of an account's aggregate, by which its listener is found; also of what is nobody's. */
    String aggregateType(@Nullable String account) {
        return holdsKeys && account != null && Accounts.isHeld(account) ? HELD_TYPE : AGGREGATE_TYPE;
    }

    void write(List<EventEnvelope> events) {
        writer.writeAll(events);
    }

    void write(EventEnvelope event) {
        writer.write(event);
    }

    /** How many events are queued, running, or waiting to be recorded. */
    int inFlight() {
        return inFlight.size();
    }

    @Override
    public void close() {
        poller.close();
        dispatcher.close();
    }
}
