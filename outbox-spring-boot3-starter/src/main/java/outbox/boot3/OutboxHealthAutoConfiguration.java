package outbox.boot3;

import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import outbox.Outbox;
import outbox.boot.autoconfigure.MoreOutboxesAutoConfiguration;
import outbox.boot.autoconfigure.OutboxAutoConfiguration;
import outbox.boot.autoconfigure.OutboxReport;

/** The health of all outboxes, also of those that only write, where there is Actuator: down if one of them has a problem. */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, MoreOutboxesAutoConfiguration.class})
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Outbox.class)
@ConditionalOnEnabledHealthIndicator("outbox")
public class OutboxHealthAutoConfiguration {

    @Bean
    HealthIndicator outboxHealthIndicator(Map<String, Outbox> outboxes) {
        return () -> {
            OutboxReport.AllHealth all = OutboxReport.healthOf(outboxes);
            Health.Builder health = all.healthy() ? Health.up() : Health.down();
            return health.withDetails(all.details()).build();
        };
    }
}
