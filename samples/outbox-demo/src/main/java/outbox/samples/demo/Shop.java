package outbox.samples.demo;

import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxWriter;
import outbox.dead.DeadEvents;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;

/** Sells things: the order and its event in one transaction, the event to the warehouse afterwards. */
final class Shop implements AutoCloseable {

    /**
     * What differs between the chapters.
     *
     * @param workers how many events are delivered at the same time
     * @param hotQueueCapacity how many events may wait after their commit
     * @param maxAttempts how many failures make an event DEAD
     */
    record Settings(int workers, int hotQueueCapacity, int maxAttempts) {
        static final Settings USUAL = new Settings(2, 1000, 10);
    }

    /** The last thing that is done before the commit, for example taking the money. */
    @FunctionalInterface
    interface LastStep {
        void run() throws Exception;
    }

    private static final long POLL_INTERVAL_MS = 50;

    private final DispatchCounts counts = new DispatchCounts();
    private final OutboxStore store = new H2OutboxStore();
    private final Database database;
    private final Journal journal;
    private final JdbcTransactionManager transactions;
    private final OutboxWriter writer;
    private final OutboxDispatcher dispatcher;
    private final OutboxPoller poller;
    private final CommitClock commitClock;

    private Shop(Database database, Settings settings, EventListener warehouse) {
        this.database = database;
        this.journal = new Journal(database);
        this.dispatcher = OutboxDispatcher.builder()
                .connectionProvider(database)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry()
                        .register(Order.AGGREGATE, Order.PLACED, event -> deliver(event, warehouse)))
                .retryPolicy(new ExponentialBackoffRetryPolicy(20, 200))
                .workerCount(settings.workers)
                .hotQueueCapacity(settings.hotQueueCapacity)
                .maxAttempts(settings.maxAttempts)
                .metrics(counts)
                .build();
        this.poller = OutboxPoller.builder()
                .connectionProvider(database)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .intervalMs(POLL_INTERVAL_MS)
                .build();
        this.commitClock = new CommitClock(new DispatcherWriterHook(dispatcher));
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        this.transactions = new JdbcTransactionManager(database, txContext);
        this.writer = new OutboxWriter(txContext, store, commitClock);
    }

    static Shop open(Database database, Settings settings, EventListener warehouse) {
        Shop shop = new Shop(database, settings, warehouse);
        shop.poller.start();
        return shop;
    }

    void sell(Order order) throws Exception {
        sell(order, () -> {});
    }

    /** Writes the order and its event in one transaction; if the last step fails, neither is left. */
    void sell(Order order, LastStep lastStep) throws Exception {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            order.insert(tx.connection());
            writer.write(order.placed());
            lastStep.run();
            tx.commit();
        }
    }

    DispatchCounts counts() {
        return counts;
    }

    Journal journal() {
        return journal;
    }

    DeadEvents deadEvents() {
        return new DeadEvents(database, store, poller::pollSoon);
    }

    /** Stops looking for events, then delivers what is queued. */
    @Override
    public void close() {
        poller.close();
        dispatcher.close();
    }

    private void deliver(EventEnvelope event, EventListener warehouse) throws Exception {
        Long nanosAfterCommit = commitClock.nanosSinceCommit(event);
        try {
            warehouse.onEvent(event);
        } catch (Exception e) {
            journal.failed(event, e);
            throw e;
        }
        journal.delivered(event, nanosAfterCommit);
    }
}
