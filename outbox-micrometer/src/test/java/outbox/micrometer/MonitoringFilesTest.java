package outbox.micrometer;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import outbox.spi.EventMetrics.Result;

import static org.assertj.core.api.Assertions.assertThat;

/** The dashboard and the alert rules ask only for what a scrape really shows, and for all that was made for them. */
class MonitoringFilesTest {

    private static final Pattern METRIC = Pattern.compile("\\boutbox_[a-z_]+");
    private static final Pattern LABEL = Pattern.compile("by \\(([a-z, ]+)\\)|([a-z]+)=~?\"");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void the_dashboard_asks_for_meters_that_are_there() throws IOException {
        Set<String> asked = metricsIn("outbox-dashboard.json");

        assertThat(scraped()).containsAll(asked);
        assertThat(asked)
                .contains(
                        "outbox_enqueue_total",
                        "outbox_dispatch_total",
                        "outbox_dead_total",
                        "outbox_dispatch_latency_seconds_bucket",
                        "outbox_pending_count",
                        "outbox_locked_count");
    }

    @Test
    void the_alerts_ask_for_meters_that_are_there() throws IOException {
        Set<String> asked = metricsIn("outbox-alerts.yml");

        assertThat(scraped()).containsAll(asked);
        assertThat(asked).contains("outbox_dead_total", "outbox_dispatch_total", "outbox_pending_count");
    }

    @Test
    void both_ask_for_labels_that_are_there() throws IOException {
        Set<String> labels = new TreeSet<>();
        for (String file : List.of("outbox-dashboard.json", "outbox-alerts.yml")) {
            for (String expression : expressions(file)) {
                LABEL.matcher(expression)
                        .results()
                        .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
                        .flatMap(names -> Stream.of(names.split(", ")))
                        .forEach(labels::add);
            }
        }

        assertThat(labels).containsExactly("le", "result", "table", "topic");
    }

    /** The names of all samples, after everything has happened once. */
    private Set<String> scraped() {
        StubStore stub = new StubStore();
        MicrometerMetricsExporter exporter =
                new MicrometerMetricsExporter(registry, MicrometerMetricsExporter.DEFAULT_PREFIX, "shop_outbox");
        BacklogGauges.builder()
                .registry(registry)
                .connectionProvider(StubStore::connection)
                .outboxStore(stub.store())
                .build()
                .look();
        exporter.eventWritten("OrderPlaced");
        exporter.eventDispatched("OrderPlaced", Result.SUCCESS, Duration.ofMillis(3));
        exporter.eventDead("OrderPlaced");
        return registry.scrape()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("[{ ]", 2)[0])
                .collect(Collectors.toSet());
    }

    private static Set<String> metricsIn(String file) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String expression : expressions(file)) {
            METRIC.matcher(expression).results().forEach(found -> names.add(found.group()));
        }
        return names;
    }

    /** All queries in the file, wherever they stand. */
    private static List<String> expressions(String file) throws IOException {
        List<String> found = new ArrayList<>();
        try (InputStream in = MonitoringFilesTest.class.getResourceAsStream("/monitoring/" + file)) {
            collect(new Yaml().load(in), found);
        }
        assertThat(found).hasSizeGreaterThan(5);
        return found;
    }

    private static void collect(Object node, List<String> found) {
        if (node instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                boolean query = key.equals("expr") || key.equals("query");
                if (query && value instanceof String text) {
                    found.add(text);
                }
                collect(value, found);
            });
        } else if (node instanceof List<?> list) {
            list.forEach(item -> collect(item, found));
        }
    }
}
