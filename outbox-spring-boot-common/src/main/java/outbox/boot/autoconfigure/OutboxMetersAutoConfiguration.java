package outbox.boot.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import outbox.Outbox;
import outbox.micrometer.MicrometerMetricsExporter;

/** Meters, where there is a registry. */
@AutoConfiguration(
        after = {OutboxAutoConfiguration.class, MoreOutboxesAutoConfiguration.class},
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, MicrometerMetricsExporter.class})
@ConditionalOnBean({MeterRegistry.class, OutboxAssembler.class})
@ConditionalOnProperty(prefix = "outbox.metrics", name = "enabled", matchIfMissing = true)
public class OutboxMetersAutoConfiguration {

    @Bean
    MetricsFactory outboxMeters(MeterRegistry registry) {
        return new OutboxMeters(registry);
    }

    @Bean
    OutboxGauges outboxGauges(MeterRegistry registry, OutboxAssembler assembler, Map<String, Outbox> outboxes) {
        return new OutboxGauges(registry, assembler, outboxes);
    }
}
