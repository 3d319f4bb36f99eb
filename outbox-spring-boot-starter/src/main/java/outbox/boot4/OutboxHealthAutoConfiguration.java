package outbox.boot4;

import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
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
