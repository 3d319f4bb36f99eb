package outbox.micrometer;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The names that dashboards and alerts are built on. */
class PrometheusScrapeTest {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void a_scrape_shows_every_meter_under_its_prometheus_name() {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
        exporter.incrementHotEnqueued();
        exporter.incrementDispatchSuccess();
        exporter.incrementDispatchSuccess();
        exporter.recordQueueDepths(3, 7);
        exporter.recordOldestLagMs(1500);

        assertThat(registry.scrape().lines())
                .contains(
                        "outbox_enqueue_hot_total 1.0",
                        "outbox_enqueue_hot_dropped_total 0.0",
                        "outbox_enqueue_cold_total 0.0",
                        "outbox_dispatch_success_total 2.0",
                        "outbox_dispatch_failure_total 0.0",
                        "outbox_dispatch_dead_total 0.0",
                        "outbox_queue_hot_depth 3.0",
                        "outbox_queue_cold_depth 7.0",
                        "outbox_lag_oldest_ms 1500.0",
                        "# TYPE outbox_dispatch_dead_total counter",
                        "# TYPE outbox_lag_oldest_ms gauge",
                        "# HELP outbox_dispatch_dead_total Events that ended DEAD");
    }

    @Test
    void a_prefix_with_a_dot_becomes_a_prometheus_name() {
        new MicrometerMetricsExporter(registry, "orders.outbox").incrementDispatchDead();

        assertThat(registry.scrape().lines()).contains("orders_outbox_dispatch_dead_total 1.0");
    }

    @Test
    void a_scrape_after_close_is_empty() {
        new MicrometerMetricsExporter(registry).close();

        assertThat(registry.scrape()).isEmpty();
    }
}
