package outbox.boot.autoconfigure;

import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.boot.OutboxMapping;
import outbox.boot.OutboxPublisher;
import outbox.boot.PayloadFormat;
import outbox.boot.listener.AnnotatedListeners;

/**
 * An outbox on the application's data source: an {@link Outbox}, an {@link OutboxWriter}, an {@link OutboxPublisher}, and what starts and stops
 * it. A bean of the same type in the application takes the place of each.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration",
            "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration",
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.autoconfigure.liquibase.LiquibaseAutoConfiguration",
            "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
        })
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(prefix = "outbox", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(OutboxProperties.class)
@Import({
    PayloadFormatConfiguration.WithJackson3.class,
    PayloadFormatConfiguration.WithJackson2.class,
    PayloadFormatConfiguration.WithoutJackson.class,
    SchemaMigrationConfiguration.WithFlyway.class,
    SchemaMigrationConfiguration.WithLiquibase.class
})
public class OutboxAutoConfiguration {

    @Bean(OutboxAssembler.BEAN)
    OutboxAssembler outboxAssembler(OutboxProperties properties, BeanFactory beans, Environment environment) {
        return new OutboxAssembler(properties, beans, environment);
    }

    @Bean
    EventMappings outboxEventMappings(ObjectProvider<OutboxMapping<?>> mappings) {
        return new EventMappings(mappings.orderedStream().toList());
    }

    @Bean
    AnnotatedListeners outboxListeners(
            ConfigurableListableBeanFactory beans,
            EventMappings mappings,
            PayloadFormat format,
            ListenerOutboxes outboxes) {
        return new AnnotatedListeners(beans, format, mappings::eventTypeOf, outboxes);
    }

    @Bean
    ListenerOutboxes outboxListenerOutboxes(OutboxAssembler assembler, BeanFactory beans, Environment environment) {
        return new ListenerOutboxes(assembler, beans, environment);
    }

    @Bean
    Inboxes outboxInboxes(OutboxProperties properties, OutboxAssembler assembler, BeanFactory beans) {
        return new Inboxes(properties, assembler, beans);
    }

    @Bean
    OrderedTypesCheck outboxOrderedTypesCheck(
            BeanFactory beans, OutboxAssembler assembler, OutboxProperties properties, EventMappings mappings) {
        return new OrderedTypesCheck(beans, assembler, properties, mappings);
    }

    /** The outbox whose properties stand directly under {@code outbox}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(Outbox.class)
    static class OnlyOutbox {

        @Bean(name = OutboxAssembler.ONLY, destroyMethod = "close")
        @Primary
        Outbox outbox(OutboxAssembler assembler) {
            return assembler.outbox(OutboxAssembler.ONLY);
        }

        @Bean
        OutboxLifecycle outboxLifecycle(OutboxAssembler assembler) {
            return assembler.lifecycle(OutboxAssembler.ONLY);
        }
    }

    @Bean
    @Primary
    @ConditionalOnMissingBean
    OutboxWriter outboxWriter(OutboxAssembler assembler) {
        return assembler.writer(OutboxAssembler.ONLY);
    }

    @Bean
    @Primary
    @ConditionalOnMissingBean
    OutboxPublisher outboxPublisher(OutboxAssembler assembler) {
        return assembler.publisher(OutboxAssembler.ONLY);
    }

    @Bean
    @ConditionalOnProperty(prefix = "outbox.bridge", name = "enabled", matchIfMissing = true)
    ApplicationEventBridge outboxApplicationEventBridge(BeanFactory beans) {
        return new ApplicationEventBridge(beans);
    }
}
