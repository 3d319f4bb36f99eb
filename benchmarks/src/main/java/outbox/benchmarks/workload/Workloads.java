package outbox.benchmarks.workload;

import java.util.ArrayList;
import java.util.List;

/** All workloads. */
public final class Workloads {

    private static final List<Integer> PRODUCERS = List.of(1, 4, 8);

    private Workloads() {}

    /** The workloads in the order in which they are run. */
    public static List<Workload> of(Scale scale) {
        List<Workload> workloads = new ArrayList<>();
        workloads.add(Drain.plain());
        workloads.add(ListenerDrain.inBatches());
        workloads.add(ListenerDrain.toRemote());
        PRODUCERS.forEach(producers -> workloads.add(new EndToEnd(producers)));
        PRODUCERS.forEach(producers -> workloads.add(WritePath.single(producers)));
        workloads.add(WritePath.batch(100));
        workloads.add(WritePath.batch(1000));
        workloads.add(Ordered.write(8));
        workloads.add(Ordered.endToEnd(8));
        workloads.add(Consume.single(1));
        workloads.add(Consume.single(4));
        workloads.add(Consume.batch(100));
        workloads.add(Consume.atOnce(100));
        workloads.add(new Latency());
        scale.doneRows().forEach(rows -> workloads.add(Drain.amongFinished(rows)));
        workloads.add(LargeDrain.alone());
        workloads.add(LargeDrain.besideOpenTransaction());
        workloads.add(new Idle());
        return workloads;
    }

    /** The names by which workloads can be asked for. */
    public static List<String> groups() {
        return of(Scale.FULL).stream().map(Workload::group).distinct().toList();
    }
}
