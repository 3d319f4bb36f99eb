package outbox.micrometer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.spi.EventMetrics.Path;
import outbox.spi.EventMetrics.Result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class TableMetersTest {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void a_scrape_shows_events_by_table_topic_and_result() {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry, "outbox", "shop_outbox");
        exporter.eventWritten("OrderPlaced");
        exporter.eventWritten("OrderPlaced");
        exporter.eventDispatched("OrderPlaced", Result.SUCCESS, Duration.ofMillis(7));
        exporter.eventDispatched("OrderPlaced", Result.FAILURE, Duration.ofSeconds(2));
        exporter.eventDead("OrderPlaced");

        assertThat(registry.scrape().lines())
                .contains(
                        "outbox_enqueue_total{table=\"shop_outbox\",topic=\"OrderPlaced\"} 2.0",
                        "outbox_dispatch_total{result=\"success\",table=\"shop_outbox\",topic=\"OrderPlaced\"} 1.0",
                        "outbox_dispatch_total{result=\"failure\",table=\"shop_outbox\",topic=\"OrderPlaced\"} 1.0",
                        "outbox_dead_total{table=\"shop_outbox\",topic=\"OrderPlaced\"} 1.0",
                        "# TYPE outbox_dispatch_latency_seconds histogram",
                        bucket("success", "0.005") + " 0",
                        bucket("success", "0.01") + " 1",
                        bucket("failure", "1.0") + " 0",
                        bucket("failure", "2.5") + " 1")
                .doesNotContain("outbox_enqueue_hot_total 1.0");
    }

    @Test
    void superseded_events_are_counted_by_topic() {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry, "outbox", "shop_outbox");
        exporter.eventsSuperseded("PriceChanged", 3);
        exporter.eventsSuperseded("PriceChanged", 1);
        new MicrometerMetricsExporter(registry, "plain").eventsSuperseded("PriceChanged", 1);

        assertThat(registry.scrape().lines().filter(line -> line.startsWith("outbox_superseded_total")))
                .contains("outbox_superseded_total{table=\"shop_outbox\",topic=\"PriceChanged\"} 4.0");
    }

    @Test
    void the_waits_of_hot_and_cold_events_are_two_series() {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry, "outbox", "shop_outbox");
        exporter.eventStarted("OrderPlaced", Path.HOT, Duration.ofNanos(120_000));
        exporter.eventStarted("OrderPlaced", Path.COLD, Duration.ofMinutes(20));

        String tags = "{table=\"shop_outbox\",topic=\"OrderPlaced\",le=\"";
        assertThat(registry.scrape().lines())
                .contains(
                        "outbox_commit_to_listener_seconds_bucket" + tags + "1.0E-4\"} 0",
                        "outbox_commit_to_listener_seconds_bucket" + tags + "2.5E-4\"} 1",
                        "outbox_creation_to_listener_seconds_bucket" + tags + "300.0\"} 0",
                        "outbox_creation_to_listener_seconds_bucket" + tags + "1800.0\"} 1");
    }

    @Test
    void tenants_are_counted_only_if_asked_and_no_more_of_them_than_asked() {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry, "outbox", "shop_outbox", 5, 2);
        for (String tenant : Arrays.asList("a", "b", "c", "d", "a", null)) {
            exporter.eventWritten("T", tenant);
        }
        exporter.eventDispatched("T", "b", Result.FAILURE, Duration.ofMillis(1));
        exporter.eventDead("T", "c");

        assertThat(registry.scrape().lines().filter(line -> line.startsWith("outbox_tenant_enqueue_total")))
                .containsExactlyInAnyOrder(
                        "outbox_tenant_enqueue_total{table=\"shop_outbox\",tenant=\"a\"} 2.0",
                        "outbox_tenant_enqueue_total{table=\"shop_outbox\",tenant=\"b\"} 1.0",
                        "outbox_tenant_enqueue_total{table=\"shop_outbox\",tenant=\"none\"} 1.0",
                        "outbox_tenant_enqueue_total{table=\"shop_outbox\",tenant=\"other\"} 2.0");
        assertThat(registry.scrape().lines())
                .contains(
                        "outbox_enqueue_total{table=\"shop_outbox\",topic=\"T\"} 6.0",
                        "outbox_tenant_dispatch_total{result=\"failure\",table=\"shop_outbox\",tenant=\"b\"} 1.0",
                        "outbox_tenant_dead_total{table=\"shop_outbox\",tenant=\"other\"} 1.0");

        new MicrometerMetricsExporter(registry, "billing", "billing_outbox").eventWritten("T", "a");
        assertThat(registry.scrape().lines().filter(line -> line.contains("billing_outbox")))
                .isNotEmpty()
                .noneMatch(line -> line.contains("tenant"));
    }

    @Test
    void tenants_need_a_table_and_a_limit_that_makes_sense() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MicrometerMetricsExporter(registry, "outbox", null, 5, 2))
                .withMessage("tenantLimit needs a table, was 2 without one; give the name of the table, or 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MicrometerMetricsExporter(registry, "outbox", "t", 5, -1))
                .withMessage("tenantLimit must be >= 0, was -1");
    }

    private static String bucket(String result, String le) {
        return "outbox_dispatch_latency_seconds_bucket{result=\"" + result
                + "\",table=\"shop_outbox\",topic=\"OrderPlaced\",le=\"" + le + "\"}";
    }

    @Test
    void topics_beyond_the_limit_share_a_tag() {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry, "outbox", "shop_outbox", 2);
        for (String topic : List.of("A", "B", "C", "D", "A", "other", " ")) {
            exporter.eventWritten(topic);
        }

        assertThat(registry.scrape().lines().filter(line -> line.startsWith("outbox_enqueue_total")))
                .containsExactlyInAnyOrder(
                        "outbox_enqueue_total{table=\"shop_outbox\",topic=\"A\"} 2.0",
                        "outbox_enqueue_total{table=\"shop_outbox\",topic=\"B\"} 1.0",
                        "outbox_enqueue_total{table=\"shop_outbox\",topic=\"other\"} 4.0");
    }

    @Test
    void two_tables_share_names_and_differ_by_tag() {
        new MicrometerMetricsExporter(registry, "outbox", "shop_outbox").eventDead("T");
        new MicrometerMetricsExporter(registry, "billing.outbox", "billing_outbox").eventDead("T");

        assertThat(registry.scrape().lines())
                .contains(
                        "outbox_dead_total{table=\"shop_outbox\",topic=\"T\"} 1.0",
                        "outbox_dead_total{table=\"billing_outbox\",topic=\"T\"} 1.0");
    }

    @Test
    void a_table_that_is_there_already_is_refused_and_nothing_is_left_behind() {
        SimpleMeterRegistry simple = new SimpleMeterRegistry();
        new MicrometerMetricsExporter(simple, "outbox", "shop_outbox");
        int before = simple.getMeters().size();

        assertThatIllegalStateException()
                .isThrownBy(() -> new MicrometerMetricsExporter(simple, "second", "shop_outbox"))
                .withMessageContaining("\"outbox.enqueue\" is already in the registry");
        assertThat(simple.getMeters()).hasSize(before);
    }

    @Test
    void closing_takes_all_topics_away_and_lets_none_come() {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry, "outbox", "shop_outbox");
        exporter.eventWritten("before");
        exporter.close();
        exporter.eventWritten("before");
        exporter.eventWritten("after");

        assertThat(registry.scrape()).isEmpty();
    }

    @Test
    void without_a_table_there_are_no_tags() {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
        exporter.eventWritten("T");
        exporter.eventDispatched("T", Result.SUCCESS, Duration.ZERO);
        exporter.eventDead("T");

        assertThat(registry.scrape()).doesNotContain("table=");
    }

    @Test
    void nonsense_is_refused_by_name_and_value() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MicrometerMetricsExporter(registry, "outbox", " "))
                .withMessage("table must not be blank, was \" \"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MicrometerMetricsExporter(registry, "outbox", "t", -1))
                .withMessage("topicLimit must be >= 0, was -1");
        assertThat(registry.getMeters()).isEmpty();
    }
}
