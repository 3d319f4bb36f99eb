package outbox.samples.ordering.spring;

import javax.sql.DataSource;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.Outbox;
import outbox.domain.DomainEventListener;
import outbox.domain.DomainEventOutboxService;
import outbox.domain.DomainEventTypes;
import outbox.jackson3.Jackson3Payloads;
import outbox.jdbc.JdbcOutbox;
import outbox.samples.ordering.domain.OrderEvent;
import outbox.samples.ordering.domain.OrderPlaced;
import outbox.spring.SpringTxContext;

/** All the wiring that domain events take. */
@Configuration(proxyBeanMethods = false)
class OutboxConfiguration {

    private static final DomainEventTypes TYPES = DomainEventTypes.of(OrderEvent.class);

    private final Jackson3Payloads payloads = new Jackson3Payloads();

    @Bean
    DomainEventListener orderListener(News news) {
        return DomainEventListener.builder(TYPES, payloads)
                .on(OrderPlaced.class, event -> news.tell(event.customer() + " ordered for " + event.total()))
                .on(OrderEvent.class, event -> news.tell(event.getClass().getSimpleName()))
                .build();
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    @DependsOnDatabaseInitialization
    Outbox outbox(DataSource dataSource, DomainEventListener orderListener) {
        return JdbcOutbox.builder(dataSource, new SpringTxContext(dataSource))
                .aggregateListener(SpringOrders.AGGREGATE_TYPE, orderListener)
                .ordered()
                .build();
    }

    @Bean
    DomainEventOutboxService domainEvents(Outbox outbox) {
        return new DomainEventOutboxService(outbox.writer(), payloads, TYPES);
    }
}
