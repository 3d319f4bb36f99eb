package outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.spi.MetricsExporter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class MicrometerMetricsExporterTest {

    private static final String[] NAMES = {
        "enqueue.hot",
        "enqueue.hot.dropped",
        "enqueue.cold",
        "dispatch.success",
        "dispatch.failure",
        "dispatch.dead",
        "outcome.too.late",
        "queue.hot.depth",
        "queue.cold.depth",
        "workers.stuck",
        "routes.waiting",
        "lag.oldest.ms"
    };

    private final MeterRegistry registry = new SimpleMeterRegistry();

    static Stream<Arguments> counters() {
        return Stream.of(
                counter("enqueue.hot", MetricsExporter::incrementHotEnqueued),
                counter("enqueue.hot.dropped", MetricsExporter::incrementHotDropped),
                counter("enqueue.cold", MetricsExporter::incrementColdEnqueued),
                counter("dispatch.success", MetricsExporter::incrementDispatchSuccess),
                counter("dispatch.failure", MetricsExporter::incrementDispatchFailure),
                counter("dispatch.dead", MetricsExporter::incrementDispatchDead),
                counter("outcome.too.late", MetricsExporter::incrementOutcomeTooLate));
    }

    private static Arguments counter(String name, Consumer<MetricsExporter> increment) {
        return Arguments.of(name, increment);
    }

    @Test
    void every_meter_is_there_from_the_start_at_zero_with_a_description() {
        new MicrometerMetricsExporter(registry);

        assertThat(names(registry)).containsExactlyInAnyOrder(withPrefix("outbox"));
        assertThat(registry.getMeters()).allSatisfy(meter -> {
            assertThat(meter.getId().getDescription()).isNotBlank();
            assertThat(meter.measure())
                    .allSatisfy(
                            measurement -> assertThat(measurement.getValue()).isZero());
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("counters")
    void each_counter_counts_its_own_events_and_no_others(String name, Consumer<MetricsExporter> increment) {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);

        increment.accept(exporter);
        increment.accept(exporter);

        assertThat(registry.get("outbox." + name).counter().count()).isEqualTo(2);
        assertThat(sumOfAll(registry)).isEqualTo(2);
    }

    @Test
    void gauges_show_the_last_value_that_was_reported() {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);

        exporter.recordQueueDepths(9, 8);
        exporter.recordQueueDepths(3, 7);
        exporter.recordOldestLagMs(90_000);
        exporter.recordOldestLagMs(5_000_000_000L);

        assertThat(gauge("outbox.queue.hot.depth")).isEqualTo(3);
        exporter.recordStuckWorkers(4);
        assertThat(gauge("outbox.workers.stuck")).isEqualTo(4);
        exporter.recordWaitingRoutes(2);
        assertThat(gauge("outbox.routes.waiting")).isEqualTo(2);
        assertThat(gauge("outbox.queue.cold.depth")).isEqualTo(7);
        assertThat(gauge("outbox.lag.oldest.ms")).isEqualTo(5_000_000_000.0);
    }

    @Test
    @Timeout(60)
    void gauges_keep_their_value_when_nobody_refers_to_the_exporter_any_more() {
        WeakReference<MicrometerMetricsExporter> exporter = new WeakReference<>(exporterWithDepths(3, 7));

        while (exporter.get() != null) {
            System.gc();
            Thread.onSpinWait();
        }

        assertThat(gauge("outbox.queue.hot.depth")).isEqualTo(3);
        assertThat(gauge("outbox.queue.cold.depth")).isEqualTo(7);
    }

    private MicrometerMetricsExporter exporterWithDepths(int hot, int cold) {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
        exporter.recordQueueDepths(hot, cold);
        return exporter;
    }

    @Test
    void no_count_is_lost_between_threads() throws Exception {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<? extends Future<?>> runs = IntStream.range(0, 4)
                    .mapToObj(thread -> threads.submit(() -> {
                        start.await();
                        IntStream.range(0, 10_000).forEach(i -> exporter.incrementDispatchSuccess());
                        return null;
                    }))
                    .toList();
            start.countDown();
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(registry.get("outbox.dispatch.success").counter().count()).isEqualTo(40_000);
    }

    @Test
    void a_registry_and_a_prefix_are_required() {
        assertThatNullPointerException()
                .isThrownBy(() -> new MicrometerMetricsExporter(null))
                .withMessage("registry");
        assertThatNullPointerException()
                .isThrownBy(() -> new MicrometerMetricsExporter(registry, null))
                .withMessage("namePrefix");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n"})
    void a_blank_prefix_is_refused(String blank) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MicrometerMetricsExporter(registry, blank))
                .withMessageStartingWith("namePrefix must not be blank, was \"");

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void exporters_with_different_prefixes_do_not_disturb_each_other() {
        MicrometerMetricsExporter orders = new MicrometerMetricsExporter(registry, "orders.outbox");
        MicrometerMetricsExporter stock = new MicrometerMetricsExporter(registry, "stock.outbox");

        orders.incrementHotEnqueued();
        orders.recordQueueDepths(1, 2);
        stock.recordQueueDepths(3, 4);
        orders.close();

        assertThat(names(registry)).containsExactlyInAnyOrder(withPrefix("stock.outbox"));
        assertThat(registry.get("stock.outbox.enqueue.hot").counter().count()).isZero();
        assertThat(gauge("stock.outbox.queue.hot.depth")).isEqualTo(3);
    }

    @Test
    void a_second_exporter_with_the_same_prefix_is_refused_and_leaves_the_first_alone() {
        MicrometerMetricsExporter first = new MicrometerMetricsExporter(registry);
        first.recordQueueDepths(1, 2);

        assertThatIllegalStateException()
                .isThrownBy(() -> new MicrometerMetricsExporter(registry))
                .withMessage("Meter \"outbox.enqueue.hot\" is already in the registry: share one exporter,"
                        + " close the other one first or choose another namePrefix");

        first.incrementHotEnqueued();
        assertThat(registry.get("outbox.enqueue.hot").counter().count()).isEqualTo(1);
        assertThat(gauge("outbox.queue.hot.depth")).isEqualTo(1);
        assertThat(registry.getMeters()).hasSize(NAMES.length);
    }

    @Test
    void of_exporters_that_race_for_a_prefix_one_wins() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Boolean>> attempts = IntStream.range(0, 4)
                    .mapToObj(thread -> threads.submit(() -> {
                        start.await();
                        return isGranted();
                    }))
                    .toList();
            start.countDown();
            int granted = 0;
            for (Future<Boolean> attempt : attempts) {
                granted += attempt.get() ? 1 : 0;
            }
            assertThat(granted).isOne();
        } finally {
            threads.shutdownNow();
        }
        assertThat(registry.getMeters()).hasSize(NAMES.length);
    }

    private boolean isGranted() {
        try {
            new MicrometerMetricsExporter(registry);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Test
    void one_prefix_serves_two_registries() {
        MeterRegistry other = new SimpleMeterRegistry();
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);

        new MicrometerMetricsExporter(other);
        exporter.close();

        assertThat(names(other)).containsExactlyInAnyOrder(withPrefix("outbox"));
    }

    @Test
    void a_prefix_is_free_again_after_close_and_starts_from_zero() {
        MicrometerMetricsExporter first = new MicrometerMetricsExporter(registry);
        first.incrementHotEnqueued();
        first.close();

        MicrometerMetricsExporter second = new MicrometerMetricsExporter(registry);
        second.incrementHotEnqueued();

        assertThat(registry.get("outbox.enqueue.hot").counter().count()).isEqualTo(1);
    }

    @Test
    void close_leaves_the_meters_of_others_alone() {
        Counter other = registry.counter("outbox.something.else");
        Counter longer = registry.counter("outbox.enqueue.hot.dropped.reason");

        new MicrometerMetricsExporter(registry).close();

        assertThat(registry.getMeters()).containsExactlyInAnyOrder(other, longer);
    }

    @Test
    void close_twice_does_not_harm_a_successor() {
        MicrometerMetricsExporter first = new MicrometerMetricsExporter(registry);
        first.close();
        new MicrometerMetricsExporter(registry);

        first.close();

        assertThat(names(registry)).containsExactlyInAnyOrder(withPrefix("outbox"));
    }

    @Test
    void close_after_the_registry_was_cleared_does_not_harm_a_successor() {
        MicrometerMetricsExporter first = new MicrometerMetricsExporter(registry);
        registry.clear();
        new MicrometerMetricsExporter(registry);

        first.close();

        assertThat(names(registry)).containsExactlyInAnyOrder(withPrefix("outbox"));
    }

    @Test
    void calls_after_close_do_no_harm_and_bring_nothing_back() {
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
        exporter.close();

        callAll(exporter);

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void a_meter_of_another_type_under_one_of_the_names_leaves_nothing_half_registered() {
        Timer timer = registry.timer("outbox.dispatch.success");

        assertThatIllegalArgumentException().isThrownBy(() -> new MicrometerMetricsExporter(registry));

        assertThat(registry.getMeters()).containsExactly(timer);
    }

    @Test
    void a_counter_of_the_application_under_one_of_the_names_is_neither_used_nor_removed() {
        Counter counter = registry.counter("outbox.dispatch.dead");

        assertThatIllegalStateException()
                .isThrownBy(() -> new MicrometerMetricsExporter(registry))
                .withMessageContaining("outbox.dispatch.dead");

        assertThat(registry.getMeters()).containsExactly(counter);
    }

    @Test
    void filters_that_rename_and_tag_meters_are_no_obstacle_to_recognising_them() {
        registry.config().commonTags("application", "shop").meterFilter(renameTo("shop."));
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);

        exporter.incrementHotEnqueued();
        assertThat(registry.get("shop.outbox.enqueue.hot")
                        .tag("application", "shop")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThatIllegalStateException().isThrownBy(() -> new MicrometerMetricsExporter(registry));

        exporter.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void meters_that_a_filter_denies_are_simply_not_there() {
        registry.config().meterFilter(MeterFilter.denyNameStartsWith("outbox.enqueue"));

        try (MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry)) {
            callAll(exporter);
            assertThat(names(registry)).hasSize(9).noneMatch(name -> name.startsWith("outbox.enqueue"));
        }

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void a_composite_registry_passes_everything_on_and_loses_everything_at_close() {
        CompositeMeterRegistry composite = new CompositeMeterRegistry();
        composite.add(registry);
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(composite);

        callAll(exporter);
        assertThat(registry.get("outbox.dispatch.dead").counter().count()).isEqualTo(1);
        assertThat(gauge("outbox.lag.oldest.ms")).isEqualTo(3);

        exporter.close();
        callAll(exporter);
        MeterRegistry latecomer = new SimpleMeterRegistry();
        composite.add(latecomer);
        assertThat(composite.getMeters()).isEmpty();
        assertThat(registry.getMeters()).isEmpty();
        assertThat(latecomer.getMeters()).isEmpty();
    }

    private static MeterFilter renameTo(String prefix) {
        return new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                return id.withName(prefix + id.getName());
            }
        };
    }

    private static void callAll(MetricsExporter exporter) {
        exporter.incrementHotEnqueued();
        exporter.incrementHotDropped();
        exporter.incrementColdEnqueued();
        exporter.incrementDispatchSuccess();
        exporter.incrementDispatchFailure();
        exporter.incrementDispatchDead();
        exporter.recordQueueDepths(1, 2);
        exporter.recordOldestLagMs(3);
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private static double sumOfAll(MeterRegistry registry) {
        return registry.getMeters().stream()
                .mapToDouble(meter -> meter.measure().iterator().next().getValue())
                .sum();
    }

    private static List<String> names(MeterRegistry registry) {
        return registry.getMeters().stream()
                .map(meter -> meter.getId().getName())
                .toList();
    }

    private static String[] withPrefix(String prefix) {
        return Stream.of(NAMES).map(name -> prefix + "." + name).toArray(String[]::new);
    }
}
