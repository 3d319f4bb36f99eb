package outbox.boot.autoconfigure;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import outbox.inbox.EventHandlerTemplate;
import outbox.inbox.jdbc.JdbcInbox;

/** Consuming once: what methods with {@code @IdempotentConsumer} work with, also for an application's own use. */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, MoreOutboxesAutoConfiguration.class})
@ConditionalOnBean(Inboxes.class)
@ConditionalOnProperty(prefix = "outbox.inbox", name = "enabled", matchIfMissing = true)
public class InboxAutoConfiguration {

    /** Lazy: an application that consumes nothing needs no table of records. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    EventHandlerTemplate outboxEventHandlerTemplate(Inboxes inboxes, OutboxProperties properties) {
        return inboxes.ready(properties).template();
    }

    /** The table of records, for people and tools. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    JdbcInbox outboxInbox(Inboxes inboxes, OutboxProperties properties) {
        return inboxes.ready(properties).inbox();
    }

    @Bean
    static IdempotentConsumers outboxIdempotentConsumers(BeanFactory beans) {
        return new IdempotentConsumers(beans);
    }

    @Bean
    ConsumeRecordCleaner outboxConsumeRecordCleaner(Inboxes inboxes, OutboxProperties properties) {
        return new ConsumeRecordCleaner(inboxes, properties);
    }
}
