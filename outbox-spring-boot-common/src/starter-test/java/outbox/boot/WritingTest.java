package outbox.boot;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.data.domain.AbstractAggregateRoot;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WritingTest {

    private static TransactionTemplate transaction(AssertableApplicationContext context, int propagation) {
        return new TransactionTemplate(
                context.getBean(PlatformTransactionManager.class), new DefaultTransactionDefinition(propagation));
    }

    private static TransactionTemplate transaction(AssertableApplicationContext context) {
        return transaction(context, TransactionDefinition.PROPAGATION_REQUIRED);
    }

    private static List<String> events(AssertableApplicationContext context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList(
                        "SELECT event_type || ' of ' || aggregate_type || ' ' || COALESCE(aggregate_id, '-') FROM"
                                + " outbox_event ORDER BY seq",
                        String.class);
    }

    record Plain(String text) {}

    record Customer(String id) {}

    record Renamed(Customer customer) {}

    static class Mapped {
        @Bean
        OutboxMapping<Renamed> renamed() {
            return OutboxMapping.of(Renamed.class)
                    .named("CustomerRenamed")
                    .aggregate("Customer", event -> event.customer().id());
        }
    }

    @Outboxed(aggregate = "Customer", id = "customer.id", type = "CustomerMoved")
    record Moved(Customer customer) {}

    @Test
    void a_class_a_mapping_or_an_annotation_says_what_an_event_is_about() {
        Shop.onH2(Mapped.class).run(context -> {
            OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
            transaction(context).executeWithoutResult(status -> {
                publisher.publish(new Plain("x"));
                publisher.publish(new Renamed(new Customer("1")), envelope -> envelope.tenantId("t"));
                publisher.publishAll(List.of(new Moved(new Customer("2")), OrderPlaced.of("3")));
            });
            assertThat(events(context))
                    .containsExactly(
                            "Plain of __GLOBAL__ -",
                            "CustomerRenamed of Customer 1",
                            "CustomerMoved of Customer 2",
                            "OrderPlaced of Order 3");
        });
    }

    @Test
    void an_inner_transaction_of_its_own_keeps_its_event_and_what_was_rolled_back_to_a_savepoint_is_gone() {
        Shop.onH2().withPropertyValues("spring.jpa.enabled=false").run(context -> {
            OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
            transaction(context).executeWithoutResult(outer -> {
                publisher.publish(OrderPlaced.of("outer"));
                transaction(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                        .executeWithoutResult(inner -> publisher.publish(OrderPlaced.of("inner")));
                outer.setRollbackOnly();
            });
            assertThat(events(context)).containsExactly("OrderPlaced of Order inner");
        });
    }

    @Test
    void what_is_published_through_spring_goes_to_the_outbox_if_its_class_says_so() {
        Shop.onH2().run(context -> {
            transaction(context).executeWithoutResult(status -> {
                context.publishEvent(OrderPlaced.of("1"));
                context.publishEvent(new Plain("not ours"));
            });
            assertThat(events(context)).containsExactly("OrderPlaced of Order 1");
            assertThatThrownBy(() -> context.publishEvent(OrderPlaced.of("2")))
                    .hasMessageContaining("No transaction is active");
        });
        Shop.onH2().withPropertyValues("outbox.bridge.enabled=false").run(context -> {
            transaction(context).executeWithoutResult(status -> context.publishEvent(OrderPlaced.of("1")));
            assertThat(events(context)).isEmpty();
        });
    }

    @Entity(name = "basket")
    static class Basket extends AbstractAggregateRoot<Basket> {

        @Id
        private String id;

        static Basket ordered(String id) {
            Basket basket = new Basket();
            basket.id = id;
            basket.registerEvent(OrderPlaced.of(id));
            return basket;
        }
    }

    interface Baskets extends JpaRepository<Basket, String> {}

    @AutoConfigurationPackage(basePackageClasses = WritingTest.class)
    @EnableJpaRepositories(basePackageClasses = WritingTest.class, considerNestedRepositories = true)
    static class WithJpa {}

    @Test
    void the_events_of_spring_datas_aggregates_are_written_when_they_are_saved() {
        Shop.onH2(WithJpa.class).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Baskets.class).save(Basket.ordered("1"));
            transaction(context).executeWithoutResult(status -> {
                context.getBean(Baskets.class).save(Basket.ordered("2"));
                status.setRollbackOnly();
            });
            assertThat(events(context)).containsExactly("OrderPlaced of Order 1");
            assertThat(Shop.count(context.getBean(DataSource.class), "basket")).isEqualTo(1);
        });
    }

    @Test
    void in_order_an_event_must_say_what_it_is_about() {
        Shop.onH2().withPropertyValues("outbox.ordering=per-aggregate").run(context -> {
            OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
            transaction(context).executeWithoutResult(status -> {
                publisher.publish(OrderPlaced.of("1"));
                assertThatThrownBy(() -> publisher.publish(new Plain("x")))
                        .isInstanceOf(InvalidOutboxException.class)
                        .hasMessageContaining(Plain.class.getName() + " does not say what its events are about");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> publisher.publish(OrderPlaced.of(null)))
                        .withMessageContaining("the id of the Order is null");
            });
            assertThat(events(context)).containsExactly("OrderPlaced of Order 1");
        });
    }

    @AutoConfigurationPackage(basePackageClasses = outbox.boot.unordered.Unordered.class)
    static class WithUnordered {}

    @Test
    void in_order_a_published_class_without_an_aggregate_stops_the_start() {
        Shop.onH2(WithUnordered.class)
                .withPropertyValues("outbox.ordering=per-aggregate")
                .run(context -> assertThat(Shop.cause(context))
                        .isInstanceOf(InvalidOutboxException.class)
                        .hasMessageContaining("Unordered does not say what its events are about"));
        Shop.onH2(WithUnordered.class).run(context -> assertThat(context).hasNotFailed());
    }
}
