package outbox.modulith;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import outbox.OutboxWriter;
import outbox.boot.EventTypes;
import outbox.boot.PayloadFormat;
import outbox.boot.autoconfigure.OutboxAutoConfiguration;

/** The way from Modulith's externalization to the outbox, if the application has both. */
@AutoConfiguration(
        after = OutboxAutoConfiguration.class,
        afterName = "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration")
@ConditionalOnBean({EventExternalizationConfiguration.class, OutboxWriter.class})
public class OutboxModulithAutoConfiguration {

    @Bean
    ExternalizedEvents outboxExternalizedEvents(
            EventExternalizationConfiguration configuration,
            OutboxWriter writer,
            EventTypes types,
            PayloadFormat format,
            BeanFactory beans) {
        return new ExternalizedEvents(configuration, writer, types, format, beans);
    }
}
