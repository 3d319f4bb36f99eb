package outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.dead.BlockedKeyManager;
import outbox.dead.DeadEvents;
import outbox.dispatch.OutboxDispatcher;
import outbox.internal.preflight.PlannedWork;
import outbox.internal.preflight.PreflightGate;
import outbox.internal.transaction.ShortTransaction;
import outbox.internal.watch.TableHealth;
import outbox.internal.watch.TableWatch;
import outbox.model.ListenerState;
import outbox.model.OutboxHealth;
import outbox.model.OutboxNode;
import outbox.model.PreflightReport;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.MissingNodeTableException;
import outbox.spi.OutboxStore;
import outbox.spi.Preflight;
import outbox.spi.TransactionStarter;
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
    private final Transactions transactions;
    private final DeadEvents deadEvents;
    private final OutboxStore store;
    private final ConnectionProvider connections;
    private final @Nullable OutboxDispatcher dispatcher;
    private final @Nullable OutboxPoller poller;
    private final @Nullable OutboxPurgeScheduler purge;
    private final ListenerRegistry registry;
    private final RunState running = new RunState();
    private final JoinedWriters joined;
    private final PreflightGate preflight;
    private final boolean transforms;
    private final TableWatch watch;
    private final TableHealth tableHealth;

    Outbox(
            OutboxBuilder builder,
            OutboxWriter writer,
            @Nullable OutboxDispatcher dispatcher,
            @Nullable OutboxPoller poller,
            @Nullable OutboxPurgeScheduler purge,
            PreflightGate preflight) {
        this.name = builder.name();
        this.writer = writer;
        this.store = builder.store;
        this.connections = builder.connections;
        this.transactions = new Transactions(name, builder.starter);
        this.deadEvents = new DeadEvents(connections, store, this::wake);
        this.registry = builder.registry();
        this.dispatcher = dispatcher;
        this.poller = poller;
        this.purge = purge;
        this.joined = new JoinedWriters(builder, dispatcher, writer.gate());
        this.preflight = preflight;
        this.transforms = builder.transformer != null;
        this.watch = new TableWatch(store, connections, writer.gate());
        this.tableHealth = new TableHealth(name, builder.oldestPending, watch, writer.gate());
    }

    /**
     * Starts the description of an outbox. With JDBC and a data source, {@code outbox.jdbc.JdbcOutbox} knows the store and the purger.
     *
     * @param store where events are kept
     * @param connections for everything except the application's own transactions
     * @param transactions the transactions in which events are written
     */
    public static OutboxBuilder builder(OutboxStore store, ConnectionProvider connections, TxContext transactions) {
        return new OutboxBuilder(store, connections, transactions, null);
    }

    /** As {@link #builder(OutboxStore, ConnectionProvider, TxContext)}, with transactions that the outbox begins itself; see {@link #inTransaction}. */
    public static OutboxBuilder builder(
            OutboxStore store, ConnectionProvider connections, TransactionStarter transactions) {
        return new OutboxBuilder(store, connections, transactions.context(), transactions);
    }

    /** The table, as it appears in log lines, in the names of threads and in the tags of meters. */
    public String name() {
        return name;
    }

    /** Writes events in the application's transactions. */
    public OutboxWriter writer() {
        return writer;
    }

    /**
     * Joins a transaction that somebody else has begun on the connection and will end: what is written there is committed with it or not at
     * all. See {@link JoinedWriter} for what to say when it has ended.
     *
     * @throws IllegalStateException if the connection is in autocommit mode, so that there is no transaction to join
     */
    public JoinedWriter on(Connection connection) {
        return joined.on(connection);
    }

    /**
     * Joins the transaction of another outbox, in its {@link #inTransaction}: what is written there is committed with it or not at all, and its end is
     * followed without a word. One that an outbox has not begun is joined as {@link #on(Connection)}.
     *
     * <pre>{@code
     * orders.inTransaction(tx -> {
     *     orders.write("OrderPlaced", id, json);
     *     audit.on(tx).write("OrderAudited", id, json);
     * });
     * }</pre>
     *
     * @throws IllegalStateException if that transaction has ended, or was begun by another thread
     */
    public JoinedWriter on(OutboxTransaction other) {
        return joined.on(other);
    }

    /**
     * Does the work in a transaction of its own: what the work writes, to the outbox and through
     * {@link OutboxTransaction#connection()}, is committed together when it returns, and rolled back if it throws.
     *
     * <pre>{@code
     * outbox.inTransaction(tx -> {
     *     orders.insert(tx.connection(), order);
     *     outbox.write("OrderPlaced", order.id(), json);
     * });
     * }</pre>
     *
     * @throws E what the work throws
     * @throws IllegalStateException if this outbox takes part in transactions of others, or a transaction of it is active on this thread
     * @throws OutboxException if no transaction could be begun, or it is unknown whether it was committed; if it was, its events are
     *     delivered
     */
    public <E extends Exception> void inTransaction(TransactionWork<E> work) throws E {
        Objects.requireNonNull(work, "work");
        callInTransaction(transaction -> {
            work.run(transaction);
            return true;
        });
    }

    /** As {@link #inTransaction}, and returns what the work returns. */
    public <T, E extends Exception> T callInTransaction(TransactionCall<T, E> work) throws E {
        return transactions.call(Objects.requireNonNull(work, "work"));
    }

    /** Writes an event in the active transaction; see {@link OutboxWriter#write(EventEnvelope)}. */
    public @Nullable String write(EventEnvelope event) {
        return writer.write(event);
    }

    /** Writes an event with nothing but a type and a JSON payload; see {@link OutboxWriter#write(EventEnvelope)}. */
    public @Nullable String write(String eventType, String payloadJson) {
        return writer.write(eventType, payloadJson);
    }

    /**
     * Writes an event of the thing with that id; see {@link OutboxWriter#write(EventEnvelope)}. An ordered outbox delivers the events of one
     * id one after the other.
     *
     * @param aggregateId what the event is about, an order's number for instance
     */
    public @Nullable String write(String eventType, String aggregateId, String payloadJson) {
        return writer.write(EventEnvelope.builder(eventType)
                .aggregateId(Objects.requireNonNull(aggregateId, "aggregateId"))
                .payloadJson(payloadJson)
                .build());
    }

    /** Writes an event with a payload that need not be text, such as Avro or Protobuf; see {@link EventEnvelope.Builder#payload}. */
    public @Nullable String write(String eventType, byte[] payload, String contentType) {
        return writer.write(eventType, payload, contentType);
    }

    /** As {@link #write(String, String, String)}, with a payload that need not be text; see {@link EventEnvelope.Builder#payload}. */
    public @Nullable String write(String eventType, String aggregateId, byte[] payload, String contentType) {
        return writer.write(EventEnvelope.builder(eventType)
                .aggregateId(Objects.requireNonNull(aggregateId, "aggregateId"))
                .payload(payload, contentType)
                .build());
    }

    /** Finds and replays DEAD events; throws if the database cannot be asked. */
    public DeadEvents deadEvents() {
        return deadEvents;
    }

    /**
     * Finds the keys whose events wait behind a failed one, and lets them go on.
     *
     * @throws IllegalArgumentException if the store does not keep events in order
     */
    public BlockedKeyManager blockedKeys() {
        return new BlockedKeyManager(connections, store, this::wake);
    }

    /** Where the events are kept. */
    public OutboxStore store() {
        return store;
    }

    /**
     * The processes that deliver events of this table and how they do it, latest heartbeat first; none if the store has no leases or there is no
     * table of nodes. Those that only write are not among them.
     *
     * @throws OutboxException if the database cannot be asked
     */
    public List<OutboxNode> nodes() {
        LeaseStore leases = store.leases();
        if (leases == null) {
            return List.of();
        }
        try {
            return ShortTransaction.run(connections, leases::nodes);
        } catch (MissingNodeTableException e) {
            return List.of();
        } catch (SQLException e) {
            throw new OutboxException("Cannot list the nodes of outbox " + name, e);
        }
    }

    /** What was changed in the table by hand is looked for at once. */
    private void wake() {
        if (poller != null) {
            poller.pollSoon();
        }
    }

    /**
     * Tries whether this environment can keep the promises, see {@link #preflight()}, and begins to poll and to purge, unless this outbox only
     * writes. Starting twice is harmless. If the database cannot be reached, nothing is taken from the table until it can and the
     * preflight has passed. A start that fails closes this outbox, so that it does not go on to deliver what is written.
     *
     * @throws IllegalStateException after {@link #close()} or a start that has failed, or if this outbox delivers and has no listener
     * @throws OutboxException that names everything that would lose, repeat, reorder or hold up events
     */
    public void start() {
        running.start(name, this::startParts, this::close);
    }

    private void startParts() {
        if (dispatcher != null && registry.isEmpty()) {
            throw new IllegalStateException("outbox " + name
                    + " has no listener, so it could deliver nothing; add one with listener(...), or leave delivery to others"
                    + " with writerOnly()");
        }
        preflight.start(plannedWork());
        if (poller != null) {
            poller.start();
        }
        if (purge != null) {
            purge.startWhen(preflight::isOpen);
        }
        watch.start();
    }

    /** Whether this outbox was started and not closed. */
    public boolean isRunning() {
        return running.isRunning();
    }

    private Preflight.Work plannedWork() {
        return PlannedWork.of(connections, poller, dispatcher, purge != null, transforms);
    }

    /** How the listeners of this process are doing, by name; none if it only writes. */
    public List<ListenerState> listeners() {
        return dispatcher == null ? List.of() : dispatcher.listenerStates();
    }

    /** Pauses the outbox, events of a type or a listener, here or in all processes, and lets them go on. */
    public Pauses pauses() {
        return new Pauses(name, store, connections, dispatcher);
    }

    /**
     * Tries now, in transactions that are rolled back, whether this environment can keep the promises, and tells everything that is in the way.
     * It takes some twenty statements at most and a few milliseconds, and changes nothing.
     */
    public PreflightReport preflight() {
        return preflight.report(plannedWork());
    }

    /**
     * Whether the threads that deliver, poll and purge are all running (one that fails is restarted automatically), whether a preflight that
     * had to wait for the database holds them back, and whether anybody delivers what waits in the table, also if this process only writes. An
     * event that has been due for {@linkplain OutboxBuilder#oldestPendingLimit too long} while nobody is known to deliver is a problem.
     *
     * <p>For health probes: it is cheap, and never waits for the database, apart from two seconds at most if the table was not asked in the last
     * minute. A thread of its own asks, no more often than every 20 seconds, and only while this method is called. A table that
     * cannot be asked is a warning, and a problem once that has lasted as long as an event may be due. After {@link #close()} nothing is asked.
     */
    public OutboxHealth health() {
        OutboxHealth health = preflight.health();
        if (dispatcher != null) {
            health = health.and(dispatcher.health());
        }
        if (poller != null) {
            health = health.and(poller.health());
        }
        health = health.and(joined.health());
        return tableHealth.with(purge == null ? health : health.and(purge.health()));
    }

    /**
     * Stops in phases: takes no more events from the table, then delivers and records what is queued for as long as
     * {@code drainTimeoutMs} allows and gives the rest back, then stops purging. Events that are written afterwards stay in the table.
     * Closing twice is harmless.
     */
    @Override
    public void close() {
        running.end();
        List<AutoCloseable> phases = new ArrayList<>();
        for (AutoCloseable part : new AutoCloseable[] {poller, joined, dispatcher, purge, preflight, watch}) {
            if (part != null) {
                phases.add(part);
            }
        }
        CloseInOrder.close(phases);
    }
}
