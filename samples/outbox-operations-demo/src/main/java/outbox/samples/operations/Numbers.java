package outbox.samples.operations;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The meters of one process. A real one has a registry for its monitoring system, and gives it the same meters. */
final class Numbers {

    private static final Set<String> SHOWN = Set.of(
            "outbox.enqueue",
            "outbox.dispatch",
            "outbox.dispatch.latency",
            "outbox.dead",
            "outbox.creation.to.listener",
            "outbox.pending.count",
            "outbox.dead.count",
            "outbox.consume.acquired",
            "outbox.consume.replayed");

    private final MeterRegistry registry = new SimpleMeterRegistry();

    MeterRegistry registry() {
        return registry;
    }

    /** The value of a counter or gauge with a tag; 0 if there is none. */
    long value(String name, String tag, String tagValue) {
        Meter meter = registry.find(name).tag(tag, tagValue).meter();
        return meter == null ? 0 : Math.round(firstValue(meter));
    }

    /** The number at the end of the line that begins so; 0 if there is none. */
    static long value(List<String> lines, String beginning) {
        return lines.stream()
                .filter(line -> line.startsWith(beginning))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** The meters that tell most, one a line; those that have counted nothing are left out. */
    List<String> lines() {
        return registry.getMeters().stream()
                .filter(meter -> SHOWN.contains(meter.getId().getName()))
                .filter(meter -> meter instanceof Gauge || firstValue(meter) > 0)
                .map(Numbers::line)
                .sorted()
                .toList();
    }

    private static String line(Meter meter) {
        String tags = meter.getId().getTags().stream()
                .map(tag -> tag.getKey() + "=" + tag.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
        return meter.getId().getName() + tags + " " + value(meter);
    }

    private static String value(Meter meter) {
        if (meter instanceof Timer timer) {
            return String.format(
                    Locale.ROOT,
                    "%d times, mean %.1f ms, longest %.1f ms",
                    timer.count(),
                    timer.mean(TimeUnit.MILLISECONDS),
                    timer.max(TimeUnit.MILLISECONDS));
        }
        return String.valueOf(Math.round(firstValue(meter)));
    }

    private static double firstValue(Meter meter) {
        return meter.measure().iterator().next().getValue();
    }
}
