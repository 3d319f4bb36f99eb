package outbox;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.dead.BlockedKeyManager;
import outbox.dead.DeadEventManager;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.OutboxHealth;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;
import outbox.spi.TxContext;

/**
 * One outbox, with its parts wired: writer, dispatcher, poller, purge and tools for dead events. An application may have any number of
 * them, each on a table of its own. Every part can also be used alone.
 *
 * <p>Events written from now on are delivered from memory; {@link #start()} begins to deliver what is already in the table, and to purge.
 * {@link #close()} stops everything in an orderly way. Thread-safe.
 */
public final class Outbox implements AutoCloseable {

    private final String name;
    private final OutboxWriter writer;
    private final DeadEventManager deadEvents;
    private final OutboxStore store;
    private final ConnectionProvider connections;
    private final @Nullable OutboxDispatcher dispatcher;
    private final @Nullable OutboxPoller poller;
    private final @Nullable OutboxPurgeScheduler purge;

    Outbox(
            OutboxBuilder builder,
            OutboxWriter writer,
            @Nullable OutboxDispatcher dispatcher,
            @Nullable OutboxPoller poller,
            @Nullable OutboxPurgeScheduler purge) {
        this.name = builder.name();
        this.writer = writer;
        this.store = builder.store();
        this.connections = builder.connections();
        this.deadEvents = new DeadEventManager(connections, store);
        this.dispatcher = dispatcher;
        this.poller = poller;
        this.purge = purge;
    }

    /**
     * Starts the description of an outbox. With JDBC and a data source, {@code outbox.jdbc.JdbcOutbox} knows the store and the purger.
     *
     * @param store where events are kept
     * @param connections for everything except the application's own transactions
     * @param transactions the transactions in which events are written
     */
    public static OutboxBuilder builder(OutboxStore store, ConnectionProvider connections, TxContext transactions) {
        return new OutboxBuilder(store, connections, transactions);
    }

    /** The table, as it appears in log lines, in the names of threads and in the tags of meters. */
    public String name() {
        return name;
    }

    /** Writes events in the application's transactions. */
    public OutboxWriter writer() {
        return writer;
    }

    /** Finds and replays DEAD events. */
    public DeadEventManager deadEvents() {
        return deadEvents;
    }

    /**
     * Finds the keys whose events wait behind a failed one, and lets them go on.
     *
     * @throws IllegalArgumentException if the store does not keep events in order
     */
    public BlockedKeyManager blockedKeys() {
        return new BlockedKeyManager(connections, store);
    }

    /**
     * Begins to poll and to purge, unless this outbox only writes. Starting twice is harmless.
     *
     * @throws IllegalStateException after {@link #close()}
     * @throws OutboxException if the table lacks something; then nothing has been started
     */
    public void start() {
        if (poller != null) {
            poller.start();
        }
        if (purge != null) {
            purge.start();
        }
    }

    /**
     * Whether the threads that deliver, poll and purge are all running. One that fails is restarted automatically; this is for health
     * probes. It is cheap and does not query the database.
     */
    public OutboxHealth health() {
        OutboxHealth health = OutboxHealth.HEALTHY;
        if (dispatcher != null) {
            health = health.and(dispatcher.health());
        }
        if (poller != null) {
            health = health.and(poller.health());
        }
        return purge == null ? health : health.and(purge.health());
    }

    /**
     * Stops in phases: takes no more events from the table, then delivers and records what is queued for as long as
     * {@code drainTimeoutMs} allows and gives the rest back, then stops purging. Events that are written afterwards stay in the table.
     * Closing twice is harmless.
     */
    @Override
    public void close() {
        List<AutoCloseable> phases = new ArrayList<>();
        for (AutoCloseable part : new AutoCloseable[] {poller, dispatcher, purge}) {
            if (part != null) {
                phases.add(part);
            }
        }
        CloseInOrder.close(phases);
    }
}
