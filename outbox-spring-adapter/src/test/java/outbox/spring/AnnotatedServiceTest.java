package outbox.spring;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import outbox.OutboxWriter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The way applications use it: beans, {@code @Transactional} methods and listeners to application events. */
class AnnotatedServiceTest {

    private final TestDatabase database = new TestDatabase();
    private final Outcomes outcomes = new Outcomes();
    private final AnnotationConfigApplicationContext application = start();

    private AnnotationConfigApplicationContext start() {
        AnnotationConfigApplicationContext started = new AnnotationConfigApplicationContext();
        started.registerBean(DataSource.class, database::dataSource);
        started.registerBean(Outcomes.class, () -> outcomes);
        started.register(Application.class);
        started.refresh();
        return started;
    }

    @AfterEach
    void close() {
        application.close();
        database.close();
    }

    @Test
    void an_annotated_method_commits_its_event() {
        application.getBean(OrderService.class).place("OrderPlaced");

        assertThat(database.committedEvents()).containsExactly("OrderPlaced");
        assertThat(outcomes.committed).containsExactly("OrderPlaced");
    }

    @Test
    void an_annotated_method_that_throws_takes_its_event_back() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> application.getBean(OrderService.class).placeAndFail("OrderPlaced"));

        assertThat(database.committedEvents()).isEmpty();
        assertThat(outcomes.committed).isEmpty();
        assertThat(outcomes.rolledBack).containsExactly("OrderPlaced");
    }

    @Test
    void a_listener_before_the_commit_may_write_and_one_after_it_may_not() {
        application.getBean(OrderService.class).announce("Order");

        assertThat(application.getBean(Listeners.class).refused)
                .singleElement()
                .satisfies(refused -> assertThat(refused)
                        .hasMessageContaining("he transaction has already committed or rolled back"));
        assertThat(database.committedEvents()).containsExactly("OrderBeforeCommit");
        assertThat(outcomes.committed).containsExactly("OrderBeforeCommit");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        OutboxWriter writer(DataSource dataSource, Outcomes outcomes) {
            return new OutboxWriter(new SpringTxContext(dataSource), new EventTable(), outcomes);
        }

        @Bean
        OrderService orderService(OutboxWriter writer, ApplicationEventPublisher events) {
            return new OrderService(writer, events);
        }

        @Bean
        Listeners listeners(OutboxWriter writer) {
            return new Listeners(writer);
        }
    }

    static class OrderService {

        private final OutboxWriter writer;
        private final ApplicationEventPublisher events;

        OrderService(OutboxWriter writer, ApplicationEventPublisher events) {
            this.writer = writer;
            this.events = events;
        }

        @Transactional
        public void place(String eventType) {
            writer.write(eventType, "{}");
        }

        @Transactional
        public void placeAndFail(String eventType) {
            writer.write(eventType, "{}");
            throw new IllegalArgumentException("business failure");
        }

        @Transactional
        public void announce(String name) {
            events.publishEvent(new Announcement(name));
        }
    }

    record Announcement(String name) {}

    static class Listeners {

        final List<Exception> refused = new ArrayList<>();
        private final OutboxWriter writer;

        Listeners(OutboxWriter writer) {
            this.writer = writer;
        }

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        public void beforeCommit(Announcement announcement) {
            writer.write(announcement.name() + "BeforeCommit", "{}");
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
        public void afterCommit(Announcement announcement) {
            try {
                writer.write(announcement.name() + "AfterCommit", "{}");
            } catch (IllegalStateException e) {
                refused.add(e);
            }
        }
    }
}
