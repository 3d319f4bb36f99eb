package outbox.benchmarks.ours;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.WriterHook;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Business;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.Ordering;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.poller.OutboxPoller;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;

/** The only place that wires our own classes; a new setting of the product is one line here and one in the settings. */
final class OutboxProduct implements AutoCloseable {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private final OutboxSettings settings;
    private final JdbcTransactionManager transactions;
    private final OutboxWriter writer;
    private final @Nullable Delivery delivery;

    /** What delivers. */
    private record Delivery(OutboxDispatcher dispatcher, OutboxPoller poller) {}

    private OutboxProduct(
            OutboxSettings settings,
            ConnectionProvider connections,
            OutboxStore store,
            WriterHook hook,
            @Nullable Delivery delivery) {
        this.settings = settings;
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        this.transactions = new JdbcTransactionManager(connections, txContext);
        this.writer = new OutboxWriter(txContext, store, hook);
        this.delivery = delivery;
    }

    /** Writes, and delivers nothing. */
    static OutboxProduct writing(DataSource dataSource, OutboxSettings settings, WriterHook hook) {
        return new OutboxProduct(
                settings,
                new DataSourceConnectionProvider(dataSource),
                JdbcOutboxStores.detect(dataSource),
                hook,
                null);
    }

    /** Writes and delivers. */
    static OutboxProduct delivering(DataSource dataSource, OutboxSettings settings, OutboxListeners listeners) {
        ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
        OutboxStore store = JdbcOutboxStores.detect(dataSource);
        OutboxDispatcher dispatcher = dispatcher(settings, listeners)
                .connectionProvider(connections)
                .outboxStore(store)
                .build();
        OutboxPoller poller = poller(settings)
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .build();
        return new OutboxProduct(
                settings, connections, store, new DispatcherWriterHook(dispatcher), new Delivery(dispatcher, poller));
    }

    private static OutboxDispatcher.Builder dispatcher(OutboxSettings settings, OutboxListeners listeners) {
        OutboxDispatcher.Builder builder =
                OutboxDispatcher.builder().fairWorkers().listenerRegistry(listeners.registry());
        if (settings.workers() != null) {
            builder.workerCount(settings.workers());
        }
        if (settings.queueCapacity() != null) {
            builder.hotQueueCapacity(settings.queueCapacity()).coldQueueCapacity(settings.queueCapacity());
        }
        if (settings.completionLinger() != null) {
            builder.completionLingerMs(settings.completionLinger().toMillis());
        }
        if (settings.keys() > 0) {
            builder.ordering(Ordering.PER_AGGREGATE);
        }
        // PLACE FOR NEW SETTINGS of the dispatcher.
        return builder.completionMode(settings.deletes() ? CompletionMode.DELETE : CompletionMode.MARK_DONE);
    }

    private static OutboxPoller.Builder poller(OutboxSettings settings) {
        OutboxPoller.Builder builder = OutboxPoller.builder().claimLocking(LEASE);
        if (settings.pollBatch() != null) {
            builder.batchSize(settings.pollBatch());
        }
        if (settings.pollInterval() != null) {
            builder.intervalMs(settings.pollInterval().toMillis());
        }
        if (settings.skipRecent() != null) {
            builder.skipRecent(settings.skipRecent());
        }
        // PLACE FOR NEW SETTINGS of the poller.
        return builder;
    }

    void start() {
        if (delivery != null) {
            delivery.poller.start();
        }
    }

    void write(List<BenchEvent> events) throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            Business.insert(tx.connection(), events.get(0));
            writer.writeAll(events.stream().map(this::envelope).toList());
            tx.commit();
        }
    }

    /** Writes events that belong to no business. */
    void writeAlone(List<EventEnvelope> events) throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            writer.writeAll(events);
            tx.commit();
        }
    }

    private EventEnvelope envelope(BenchEvent event) {
        if (settings.keys() == 0) {
            return EventEnvelope.ofJson(OutboxListeners.EVENT_TYPE, event.payload());
        }
        return EventEnvelope.builder(OutboxListeners.EVENT_TYPE)
                .aggregateId(Integer.toString(event.number() % settings.keys()))
                .payloadJson(event.payload())
                .build();
    }

    @Override
    public void close() {
        if (delivery != null) {
            delivery.poller.close();
            delivery.dispatcher.close();
        }
    }
}
