package outbox.proof;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxWriter;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.Ordering;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;
import outbox.testservers.TestDatabase;

/** An outbox as an application has it, whose business connections may come another way than those that deliver. */
final class OutboxNode implements AutoCloseable {

    static final String AGGREGATE_TYPE = "Account";
    static final String EVENT_TYPE = "Paid";
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final OutboxDispatcher dispatcher;
    private final OutboxPoller poller;
    private final OutboxWriter writer;
    private final JdbcTransactionManager transactions;

    OutboxNode(String dialect, DataSource business, DataSource delivering, Ordering ordering, EventListener listener) {
        OutboxStore store = JdbcOutboxStores.get(dialect);
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(delivering);
        this.dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .ordering(ordering)
                .listenerRegistry(new DefaultListenerRegistry().register(AGGREGATE_TYPE, EVENT_TYPE, listener))
                .build();
        this.poller = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(LEASE)
                .intervalMs(100)
                .build();
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        this.writer = new OutboxWriter(context, store, new DispatcherWriterHook(dispatcher));
        this.transactions = new JdbcTransactionManager(new DataSourceConnectionProvider(business), context);
        poller.start();
    }

    /** Business statements, which yield the event to write with them. */
    interface Business {
        EventEnvelope on(Connection conn) throws SQLException;
    }

    /** Runs a transaction; false if the client does not know that it was committed. */
    boolean write(Business business) {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            writer.writeAll(List.of(business.on(tx.connection())));
            tx.commit();
            return true;
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }

    static HikariDataSource pool(TestDatabase database) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(8);
        config.setConnectionTimeout(2_000);
        return new HikariDataSource(config);
    }

    @Override
    public void close() {
        poller.close();
        dispatcher.close();
    }
}
