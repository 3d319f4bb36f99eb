package outbox.samples.spring;

import javax.sql.DataSource;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.OutboxWriter;
import outbox.dead.DeadEvents;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;
import outbox.spi.TxContext;
import outbox.spring.SpringTxContext;

/**
 * The outbox as beans. Spring stops them in the right order by itself: the poller needs the dispatcher and the dispatcher the data
 * source, so first the poller stops looking, then the dispatcher delivers what is queued, then the pool closes.
 */
@Configuration(proxyBeanMethods = false)
class OutboxConfiguration {

    @Bean
    TxContext txContext(DataSource dataSource) {
        return new SpringTxContext(dataSource);
    }

    @Bean
    ConnectionProvider connectionProvider(DataSource dataSource) {
        return new DataSourceConnectionProvider(dataSource);
    }

    @Bean
    OutboxStore outboxStore(DataSource dataSource) {
        return JdbcOutboxStores.detect(dataSource);
    }

    @Bean
    ListenerRegistry listenerRegistry(ConfirmationMailer mailer) {
        return new DefaultListenerRegistry().register(OrderService.AGGREGATE, OrderService.PLACED, mailer);
    }

    /** Gives up soon, so that a DEAD event can be seen within seconds; the defaults are more patient. */
    @Bean(destroyMethod = "close")
    OutboxDispatcher outboxDispatcher(ConnectionProvider connections, OutboxStore store, ListenerRegistry listeners) {
        return OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(listeners)
                .retryPolicy(new ExponentialBackoffRetryPolicy(200, 1000))
                .maxAttempts(3)
                .build();
    }

    /** An application that runs more than once on the same database adds {@code claimLocking} here. */
    @Bean(initMethod = "start", destroyMethod = "close")
    @DependsOnDatabaseInitialization
    OutboxPoller outboxPoller(ConnectionProvider connections, OutboxStore store, OutboxDispatcher dispatcher) {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .intervalMs(200)
                .build();
    }

    @Bean
    OutboxWriter outboxWriter(TxContext txContext, OutboxStore store, OutboxDispatcher dispatcher) {
        return new OutboxWriter(txContext, store, new DispatcherWriterHook(dispatcher));
    }

    /** Throws if the database is away, where {@code DeadEventManager} would find nothing: people are told what this says. */
    @Bean
    DeadEvents deadEvents(ConnectionProvider connections, OutboxStore store, OutboxPoller poller) {
        return new DeadEvents(connections, store, poller::pollSoon);
    }
}
