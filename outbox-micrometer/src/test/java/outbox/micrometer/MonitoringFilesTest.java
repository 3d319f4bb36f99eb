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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;
import outbox.spi.ConsumeFailures;
import outbox.spi.EventMetrics.Path;
import outbox.spi.EventMetrics.Result;

import static org.assertj.core.api.Assertions.assertThat;

/** The dashboard and the alert rules ask only for what a scrape really shows, and for all that was made for them. */
class MonitoringFilesTest {

    private static final Pattern METRIC = Pattern.compile("\\b(outbox|shop_events)_[a-z_]+");
    private static final Pattern LABEL = Pattern.compile("by \\(([a-z, ]+)\\)|([a-z]+)=~?\"");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private String prefix = MicrometerMetricsExporter.DEFAULT_PREFIX;

    @ParameterizedTest
    @ValueSource(strings = {"outbox", "shop.events"})
    void the_dashboard_asks_for_meters_that_are_there_whatever_their_prefix(String anyPrefix) throws IOException {
        prefix = anyPrefix;
        Set<String> asked = metricsIn("outbox-dashboard.json");

        assertThat(scraped()).containsAll(asked);
        assertThat(asked)
                .contains(
                        prefix.replace('.', '_') + "_lag_oldest_ms",
                        "outbox_pending_at_least",
                        "outbox_dead_count",
                        "outbox_held_keys",
                        "outbox_commit_to_listener_seconds_bucket",
                        "outbox_creation_to_listener_seconds_bucket",
                        "outbox_consume_failed_count",
                        "outbox_consume_exhausted_count",
                        "outbox_consume_retries_max",
                        "outbox_enqueue_total",
                        "outbox_dispatch_total",
                        "outbox_dead_total",
                        "outbox_dispatch_latency_seconds_bucket",
                        "outbox_pending_count",
                        "outbox_locked_count");
    }

    @Test
    void the_dashboard_finds_the_prefix_by_itself() throws IOException {
        prefix = "shop.events";
        Map<?, ?> variable = variable("prefix");
        String names = (String) ((Map<?, ?>) variable.get("query")).get("query");
        assertThat(names).isEqualTo("label_values({__name__=~\".+_lag_oldest_ms\"}, __name__)");
        Pattern shown = Pattern.compile(((String) variable.get("regex")).replaceAll("^/|/$", ""));

        assertThat(scraped().stream()
                        .flatMap(name -> shown.matcher(name).results().map(found -> found.group(1))))
                .containsExactly("shop_events");
        assertThat(variable.get("includeAll")).isEqualTo(true);
    }

    private static Map<?, ?> variable(String name) throws IOException {
        try (InputStream in = MonitoringFilesTest.class.getResourceAsStream("/monitoring/outbox-dashboard.json")) {
            Map<?, ?> templating = (Map<?, ?>) ((Map<?, ?>) new Yaml().load(in)).get("templating");
            return ((List<?>) templating.get("list"))
                    .stream()
                            .map(one -> (Map<?, ?>) one)
                            .filter(one -> one.get("name").equals(name))
                            .findFirst()
                            .orElseThrow();
        }
    }

    @Test
    void the_alerts_ask_for_meters_that_are_there() throws IOException {
        Set<String> asked = metricsIn("outbox-alerts.yml");

        assertThat(scraped()).containsAll(asked);
        assertThat(asked)
                .contains(
                        "outbox_dead_total",
                        "outbox_dead_count",
                        "outbox_held_keys",
                        "outbox_dispatch_total",
                        "outbox_pending_count",
                        "outbox_consume_exhausted_count",
                        "outbox_consume_retries_max");
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
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry, prefix, "shop_outbox");
        BacklogGauges.builder()
                .registry(registry)
                .connectionProvider(StubStore::connection)
                .outboxStore(stub.store())
                .build()
                .look();
        ConsumeGauges.builder()
                .registry(registry)
                .table("event_consume_record")
                .failures(limit -> new ConsumeFailures(0, 0, 0))
                .build()
                .look();
        exporter.eventWritten("OrderPlaced");
        exporter.eventStarted("OrderPlaced", Path.HOT, Duration.ofMillis(1));
        exporter.eventDispatched("OrderPlaced", Result.SUCCESS, Duration.ofMillis(3));
        exporter.eventDead("OrderPlaced");
        return registry.scrape()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("[{ ]", 2)[0])
                .collect(Collectors.toSet());
    }

    private Set<String> metricsIn(String file) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String expression : expressions(file)) {
            String asShown = expression.replace("${prefix}", prefix.replace('.', '_'));
            METRIC.matcher(asShown).results().forEach(found -> names.add(found.group()));
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
