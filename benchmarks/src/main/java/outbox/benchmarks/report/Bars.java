package outbox.benchmarks.report;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import outbox.benchmarks.database.DatabaseKind;

/** The bars that this project has set itself, as ratios within one run wherever they are about time. */
public final class Bars {

    private static final DatabaseKind POSTGRESQL = DatabaseKind.POSTGRESQL;
    private static final String OURS = "outbox";
    private static final String OURS_DELETE = "outbox-delete";
    private static final String OURS_DEFAULTS = "outbox-defaults";
    private static final String OURS_ORDERED_100 = "outbox-ordered-100";
    private static final String OURS_ORDERED_10000 = "outbox-ordered-10000";
    private static final String OURS_BATCH = "outbox-batch-500";
    private static final String OURS_BESIDE_HANGING = "outbox-beside-hanging";
    private static final String FLOOR = "floor";
    private static final String FLOOR_DELETE = "floor-delete";
    private static final String DRAIN = "drain";
    private static final String END_TO_END = "end-to-end-8";
    private static final String BATCH = "batch-1000";
    private static final String LATENCY = "latency";
    private static final String IN_BATCHES = "drain-in-batches";
    private static final String TO_REMOTE = "drain-to-remote";

    private Bars() {}

    /** All of them. */
    public static List<Bar> all() {
        return Stream.of(drain(), endToEnd(), costs(), rest(), order(), listeners(), consume(), otherDatabases())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Bar> drain() {
        return List.of(
                Bar.atLeast(0.6, "drain, mark DONE: × floor", rateToFloor(POSTGRESQL, DRAIN, OURS, FLOOR)),
                Bar.atLeast(4, "drain, mark DONE: × best peer", rateToBestPeer(DRAIN, OURS)),
                Bar.atLeast(0.5, "drain, delete: × floor", rateToFloor(POSTGRESQL, DRAIN, OURS_DELETE, FLOOR_DELETE)),
                Bar.atLeast(6, "drain, delete: × best peer", rateToBestPeer(DRAIN, OURS_DELETE)),
                Bar.atLeast(
                        0.85,
                        "drain with 1,000,000 DONE rows: × drain with none",
                        results -> ratio(
                                results.value(POSTGRESQL, "done-rows-1000000", OURS, Metric.RATE),
                                results.value(POSTGRESQL, "done-rows-0", OURS, Metric.RATE))),
                Bar.atLeast(
                        0.9,
                        "large drain: last quarter × first",
                        results -> ratio(
                                results.value(POSTGRESQL, "large-drain", OURS, Metric.LAST_QUARTER_RATE),
                                results.value(POSTGRESQL, "large-drain", OURS, Metric.FIRST_QUARTER_RATE))),
                Bar.atLeast(
                        0.8,
                        "large drain beside an open transaction: × without",
                        results -> ratio(
                                results.value(POSTGRESQL, "large-drain-open-transaction", OURS, Metric.RATE),
                                results.value(POSTGRESQL, "large-drain", OURS, Metric.RATE))));
    }

    private static List<Bar> endToEnd() {
        return List.of(
                Bar.atLeast(0.9, "end-to-end, 8 producers: × floor", rateToFloor(POSTGRESQL, END_TO_END, OURS, FLOOR)),
                Bar.atLeast(1.8, "end-to-end, 8 producers: × best peer", rateToBestPeer(END_TO_END, OURS)),
                Bar.atLeast(0.92, "write path, 1 producer: × floor", rateToFloor(POSTGRESQL, "write-1", OURS, FLOOR)),
                Bar.atLeast(0.92, "write path, 4 producers: × floor", rateToFloor(POSTGRESQL, "write-4", OURS, FLOOR)),
                Bar.atLeast(0.92, "write path, 8 producers: × floor", rateToFloor(POSTGRESQL, "write-8", OURS, FLOOR)),
                Bar.atLeast(0.8, "batch write of 1,000: × unnest floor", rateToFloor(POSTGRESQL, BATCH, OURS, FLOOR)));
    }

    private static List<Bar> costs() {
        return List.of(
                Bar.atMost(0.02, "drain: statements/event", value(DRAIN, OURS, Metric.STATEMENTS)),
                Bar.atMost(0.02, "drain: commits/event", value(DRAIN, OURS, Metric.COMMITS)),
                Bar.atMost(2.1, "hot path, 8 producers: statements/event", value(END_TO_END, OURS, Metric.STATEMENTS)),
                Bar.atMost(1.15, "hot path, 8 producers: commits/event", value(END_TO_END, OURS, Metric.COMMITS)),
                Bar.atMost(1300, "hot path, 8 producers: WAL bytes/event", value(END_TO_END, OURS, Metric.WAL_BYTES)),
                Bar.atMost(
                        950,
                        "hot path, 8 producers, delete: WAL bytes/event",
                        value(END_TO_END, OURS_DELETE, Metric.WAL_BYTES)));
    }

    private static List<Bar> rest() {
        return List.of(
                Bar.atMost(0.3, "latency at 200/s: p50 ms", value(LATENCY, OURS, Metric.P50_MILLIS)),
                Bar.atMost(
                        1.5,
                        "latency at 200/s: p99 × floor's",
                        results -> ratio(
                                results.value(POSTGRESQL, LATENCY, OURS, Metric.P99_MILLIS),
                                results.value(POSTGRESQL, LATENCY, FLOOR, Metric.P99_MILLIS))),
                Bar.atMost(
                        0.3,
                        "idle, default settings: statements/s",
                        value("idle", OURS_DEFAULTS, Metric.IDLE_STATEMENTS)));
    }

    private static List<Bar> order() {
        return List.of(
                Bar.atLeast(
                        0.4,
                        "drain in order, 100 keys: × without order",
                        orderedToUnordered(DRAIN, OURS_ORDERED_100, Metric.RATE)),
                Bar.atLeast(
                        0.6,
                        "drain in order, 10,000 keys: × without order",
                        orderedToUnordered(DRAIN, OURS_ORDERED_10000, Metric.RATE)),
                Bar.atLeast(
                        0.85,
                        "write path in order, 8 producers, 10,000 keys: × without order",
                        orderedToUnordered("write-8-ordered", OURS_ORDERED_10000, Metric.RATE)),
                Bar.atLeast(
                        0.85,
                        "end-to-end in order, 8 producers, 10,000 keys: × without order",
                        orderedToUnordered("end-to-end-8-ordered", OURS_ORDERED_10000, Metric.RATE)),
                Bar.atMost(
                        1.5,
                        "latency in order, 10,000 keys: p50 × without order",
                        orderedToUnordered(LATENCY, OURS_ORDERED_10000, Metric.P50_MILLIS)));
    }

    private static Function<Results, Optional<Double>> orderedToUnordered(
            String workload, String candidate, Metric metric) {
        return results -> ratio(
                results.value(POSTGRESQL, workload, candidate, metric),
                results.value(POSTGRESQL, workload, OURS, metric));
    }

    private static List<Bar> listeners() {
        return List.of(
                Bar.atLeast(
                        0.95,
                        "drain with a batch listener of 500: × one by one",
                        results -> ratio(
                                results.value(POSTGRESQL, IN_BATCHES, OURS_BATCH, Metric.RATE),
                                results.value(POSTGRESQL, IN_BATCHES, OURS, Metric.RATE))),
                Bar.atLeast(
                        0.8,
                        "drain to a receiver 1 ms away, 256 in flight: × floor",
                        rateToFloor(POSTGRESQL, TO_REMOTE, OURS, FLOOR)),
                Bar.atMost(
                        0.02,
                        "drain with a batch listener: statements/event",
                        value(IN_BATCHES, OURS_BATCH, Metric.STATEMENTS)),
                Bar.atMost(
                        0.02,
                        "drain with a batch listener: commits/event",
                        value(IN_BATCHES, OURS_BATCH, Metric.COMMITS)),
                Bar.atMost(
                        0.02,
                        "drain with an async listener: statements/event",
                        value(TO_REMOTE, OURS, Metric.STATEMENTS)),
                Bar.atMost(0.02, "drain with an async listener: commits/event", value(TO_REMOTE, OURS, Metric.COMMITS)),
                Bar.atMost(
                        2,
                        "latency beside a listener that hangs: p99 × without",
                        results -> ratio(
                                results.value(POSTGRESQL, LATENCY, OURS_BESIDE_HANGING, Metric.P99_MILLIS),
                                results.value(POSTGRESQL, LATENCY, OURS, Metric.P99_MILLIS))));
    }

    private static List<Bar> consume() {
        return List.of(
                Bar.atLeast(0.85, "consume, 1 consumer: × floor", rateToFloor(POSTGRESQL, "consume-1", OURS, FLOOR)),
                Bar.atLeast(0.85, "consume, 4 consumers: × floor", rateToFloor(POSTGRESQL, "consume-4", OURS, FLOOR)),
                Bar.atLeast(
                        5,
                        "consume 100 at once: × one by one",
                        results -> ratio(
                                results.value(POSTGRESQL, "consume-at-once-100", OURS, Metric.RATE),
                                results.value(POSTGRESQL, "consume-1", OURS, Metric.RATE))),
                Bar.atMost(3, "consume: statements/event", value("consume-1", OURS, Metric.STATEMENTS)));
    }

    private static List<Bar> otherDatabases() {
        return Stream.of(DatabaseKind.MYSQL, DatabaseKind.MARIADB, DatabaseKind.H2)
                .map(kind -> Bar.atLeast(0.6, kind.label() + ", drain: × floor", rateToFloor(kind, DRAIN, OURS, FLOOR)))
                .toList();
    }

    private static Function<Results, Optional<Double>> value(String workload, String candidate, Metric metric) {
        return results -> results.value(POSTGRESQL, workload, candidate, metric);
    }

    private static Function<Results, Optional<Double>> rateToFloor(
            DatabaseKind database, String workload, String candidate, String floor) {
        return results -> ratio(
                results.value(database, workload, candidate, Metric.RATE),
                results.value(database, workload, floor, Metric.RATE));
    }

    private static Function<Results, Optional<Double>> rateToBestPeer(String workload, String candidate) {
        return results -> ratio(
                results.value(POSTGRESQL, workload, candidate, Metric.RATE),
                results.bestPeer(POSTGRESQL, workload).flatMap(peer -> peer.value(Metric.RATE)));
    }

    private static Optional<Double> ratio(Optional<Double> figure, Optional<Double> reference) {
        return figure.flatMap(value -> reference.filter(base -> base > 0).map(base -> value / base));
    }
}
