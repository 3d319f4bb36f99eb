package outbox.benchmarks.workload;

import java.util.EnumMap;
import java.util.Map;
import outbox.benchmarks.database.Costs;
import outbox.benchmarks.report.Metric;

/** Collects the figures of a run, with costs divided by the number of events. */
final class PerEvent {

    private final Map<Metric, Double> values = new EnumMap<>(Metric.class);
    private final int events;

    PerEvent(int events) {
        this.events = Math.max(1, events);
    }

    PerEvent rate(double rate) {
        values.put(Metric.RATE, rate);
        return this;
    }

    PerEvent cpuMicros(double micros) {
        values.put(Metric.CPU_MICROS, micros / events);
        return this;
    }

    PerEvent costs(Costs costs) {
        values.put(Metric.STATEMENTS, (double) costs.statements() / events);
        values.put(Metric.COMMITS, (double) costs.commits() / events);
        costs.walBytes().ifPresent(bytes -> values.put(Metric.WAL_BYTES, (double) bytes / events));
        return this;
    }

    Map<Metric, Double> values() {
        return values;
    }
}
