package outbox.modulith;

import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.Externalized;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.boot.Outboxed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Modulith decides what goes out, under which name and key; the outbox takes it along with the transaction. */
class ExternalizedEventsTest {

    @Externalized("orders::#{#this.id()}")
    record OrderPlaced(String id, String secret) {}

    record Told(String id) {}

    record Internal(String id) {}

    @Externalized("orders")
    @Outboxed
    record Both(String id) {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        EventExternalizationConfiguration externalization() {
            return EventExternalizationConfiguration.externalizing()
                    .select(EventExternalizationConfiguration.annotatedAsExternalized())
                    .mapping(OrderPlaced.class, placed -> new Told(placed.id()))
                    .headers(OrderPlaced.class, placed -> Map.of("priority", 7))
                    .build();
        }
    }

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("spring.datasource.generate-unique-name=true");
    }

    private static List<Map<String, Object>> rows(ApplicationContext context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList("SELECT event_type, aggregate_type, aggregate_id, CAST(payload AS VARCHAR) AS payload,"
                        + " CAST(headers AS VARCHAR) AS headers FROM outbox_event");
    }

    private static void publish(ApplicationContext context, Object event, boolean rollback) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            context.publishEvent(event);
            if (rollback) {
                status.setRollbackOnly();
            }
        });
    }

    @Test
    void what_modulith_selects_is_written_with_its_target_key_mapping_and_headers() {
        application().run(context -> {
            assertThat(context).hasNotFailed();
            publish(context, new OrderPlaced("1", "pst"), false);
            publish(context, new OrderPlaced("2", "pst"), true);
            publish(context, new Internal("3"), false);

            assertThat(rows(context)).singleElement().satisfies(row -> {
                assertThat(row).containsEntry("event_type", "OrderPlaced").containsEntry("aggregate_id", "1");
                assertThat(row).containsEntry("aggregate_type", "orders");
                assertThat(row.get("payload").toString()).contains("1").doesNotContain("pst");
                assertThat(row.get("headers").toString()).contains("priority", "7");
            });
        });
    }

    @Test
    void what_goes_to_the_outbox_by_itself_is_not_written_twice() {
        application().run(context -> {
            publish(context, new Both("1"), false);
            assertThat(rows(context)).hasSize(1);
        });
    }

    @Test
    void what_is_published_outside_of_a_transaction_is_refused() {
        application()
                .run(context -> assertThatIllegalStateException()
                        .isThrownBy(() -> context.publishEvent(new OrderPlaced("1", "pst")))
                        .withMessageContaining("No active transaction"));
    }
}
