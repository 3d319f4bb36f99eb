package outbox.micrometer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.spi.ConsumeMetrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MicrometerConsumeMetricsTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double count(String name, String group) {
        return registry.get(name).tag("group", group).counter().count();
    }

    @Test
    void each_number_goes_to_the_meter_of_its_name_and_group() {
        ConsumeMetrics metrics = new MicrometerConsumeMetrics(registry);
        metrics.incrementAcquired("a");
        metrics.incrementAcquired("a");
        metrics.incrementAcquired("b");
        metrics.incrementReplayed("a");
        metrics.incrementInProgress("a");
        metrics.incrementFailed("a");
        metrics.incrementExhausted("a");
        metrics.incrementLeaseLost("a");
        metrics.recordHandlerLatency("a", Duration.ofMillis(7));

        assertThat(count("outbox.consume.acquired", "a")).isEqualTo(2);
        assertThat(count("outbox.consume.acquired", "b")).isEqualTo(1);
        for (String name : new String[] {"replayed", "in.progress", "failed", "exhausted", "lease.lost"}) {
            assertThat(count("outbox.consume." + name, "a")).as(name).isEqualTo(1);
        }
        assertThat(registry.get("outbox.consume.handler")
                        .tag("group", "a")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(7);
    }

    @Test
    void the_prefix_can_be_another_but_not_blank() {
        new MicrometerConsumeMetrics(registry, "shop").incrementFailed("a");
        assertThat(count("shop.failed", "a")).isEqualTo(1);
        assertThatThrownBy(() -> new MicrometerConsumeMetrics(registry, " "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("namePrefix must not be blank, was \" \"");
    }
}
