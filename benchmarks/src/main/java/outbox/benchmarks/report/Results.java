package outbox.benchmarks.report;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;

/** Everything that was measured, summarised; in the order in which it was first measured. */
public final class Results {

    private final List<Summary> summaries;

    /** Summarises the measurements. */
    public Results(List<Measurement> measurements) {
        Map<Measurement.Subject, List<Measurement>> bySubject = measurements.stream()
                .collect(Collectors.groupingBy(Measurement::subject, LinkedHashMap::new, Collectors.toList()));
        this.summaries = bySubject.entrySet().stream()
                .map(entry -> Summary.of(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** All of them. */
    public List<Summary> summaries() {
        return summaries;
    }

    /** Those of one workload on one database, floors first, then ours, then peers, the best first. */
    public List<Summary> of(DatabaseKind database, String workload) {
        return summaries.stream()
                .filter(summary -> summary.subject().database() == database)
                .filter(summary -> summary.subject().workload().equals(workload))
                .sorted(Comparator.comparing(
                                (Summary summary) -> summary.subject().role())
                        .thenComparing(summary -> -summary.value(Metric.RATE).orElse(0.0))
                        .thenComparing(summary -> summary.subject().candidate()))
                .toList();
    }

    /** The workloads that were run on a database. */
    public List<String> workloads(DatabaseKind database) {
        return summaries.stream()
                .filter(summary -> summary.subject().database() == database)
                .map(summary -> summary.subject().workload())
                .distinct()
                .toList();
    }

    /** The databases that were measured on. */
    public List<DatabaseKind> databases() {
        return summaries.stream()
                .map(summary -> summary.subject().database())
                .distinct()
                .toList();
    }

    /** The median of a metric, if it was measured. */
    public Optional<Double> value(DatabaseKind database, String workload, String candidate, Metric metric) {
        return of(database, workload).stream()
                .filter(summary -> summary.subject().candidate().equals(candidate))
                .findFirst()
                .flatMap(summary -> summary.value(metric));
    }

    /** The peer with the highest rate. */
    public Optional<Summary> bestPeer(DatabaseKind database, String workload) {
        return of(database, workload).stream()
                .filter(summary -> summary.subject().role() == Role.PEER)
                .filter(summary -> summary.value(Metric.RATE).isPresent())
                .findFirst();
    }
}
