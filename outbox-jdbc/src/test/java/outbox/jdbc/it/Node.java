package outbox.jdbc.it;

import java.sql.SQLException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;

/** An application with an outbox: everything wired as a user would. */
final class Node implements AutoCloseable {

    /** How often the poller polls while it finds something. */
    static final Duration INTERVAL = Duration.ofMillis(20);

    final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    final Signals signals = new Signals();
    final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    final DataSourceConnectionProvider connections;
    final JdbcTransactionManager transactions;
    final OutboxDispatcher dispatcher;
    final OutboxPoller poller;
    final OutboxWriter writer;

    Node(DataSource dataSource, OutboxStore store) {
        this(dataSource, store, UnaryOperator.identity(), UnaryOperator.identity());
    }

    Node(
            DataSource dataSource,
            OutboxStore store,
            UnaryOperator<OutboxDispatcher.Builder> dispatcherSettings,
            UnaryOperator<OutboxPoller.Builder> pollerSettings) {
        connections = new DataSourceConnectionProvider(dataSource);
        transactions = new JdbcTransactionManager(connections, txContext);
        dispatcher = dispatcherSettings
                .apply(OutboxDispatcher.builder()
                        .connectionProvider(connections)
                        .outboxStore(store)
                        .listenerRegistry(listeners)
                        .retryPolicy(new ExponentialBackoffRetryPolicy(0, 0))
                        .metrics(signals))
                .build();
        poller = pollerSettings
                .apply(OutboxPoller.builder()
                        .connectionProvider(connections)
                        .outboxStore(store)
                        .handler(new DispatcherPollerHandler(dispatcher))
                        .intervalMs(INTERVAL.toMillis())
                        .metrics(signals))
                .build();
        writer = new OutboxWriter(txContext, store, new DispatcherWriterHook(dispatcher));
    }

    /** Writes the events in one transaction. */
    void commit(EventEnvelope... events) throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            for (EventEnvelope event : events) {
                writer.write(event);
            }
            tx.commit();
        }
    }

    @Override
    public void close() {
        poller.close();
        dispatcher.close();
    }
}
