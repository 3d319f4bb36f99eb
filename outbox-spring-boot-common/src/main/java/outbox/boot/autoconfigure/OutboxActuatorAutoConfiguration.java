package outbox.boot.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.Outbox;

/** Actuator's endpoint and info, where there is Actuator. */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, MoreOutboxesAutoConfiguration.class})
@ConditionalOnClass({ConditionalOnAvailableEndpoint.class, InfoContributor.class})
@ConditionalOnBean(Outbox.class)
public class OutboxActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(endpoint = OutboxEndpoint.class)
    static class WithEndpoint {

        @Bean
        OutboxEndpoint outboxEndpoint(Map<String, Outbox> outboxes) {
            return new OutboxEndpoint(outboxes);
        }
    }

    @Bean
    @ConditionalOnEnabledInfoContributor("outbox")
    InfoContributor outboxInfoContributor(Map<String, Outbox> outboxes) {
        return info -> {
            Map<String, Object> tables = new LinkedHashMap<>();
            outboxes.forEach((name, outbox) -> tables.put(name, Map.of("table", outbox.name())));
            info.withDetail("outbox", tables);
        };
    }
}
