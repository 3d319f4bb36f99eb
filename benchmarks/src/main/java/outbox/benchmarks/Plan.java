package outbox.benchmarks;

import java.util.List;
import java.util.Set;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;
import outbox.benchmarks.workload.Scale;
import outbox.benchmarks.workload.Workload;
import outbox.benchmarks.workload.Workloads;

/**
 * Who does what where. The short form leaves out peers outside of drain and end-to-end, fewer than eight producers end-to-end,
 * tables full of finished rows, everything but the drain on other databases than PostgreSQL, and order except there.
 *
 * @param full whether nothing is left out
 * @param workloads groups that were asked for; empty for all
 * @param candidates names that were asked for; empty for all
 */
record Plan(boolean full, Set<String> workloads, Set<String> candidates) {

    private static final Set<String> FULL_ONLY = Set.of("end-to-end-1", "end-to-end-4");
    private static final Set<String> ONLY_WHEN_ASKED_FOR = Set.of("large-drain");
    private static final Set<String> WITH_PEERS = Set.of("drain", "end-to-end-8", "idle");
    private static final Set<String> WITHOUT_DEFAULTS = Set.of("drain", "end-to-end-8");

    Plan {
        workloads = Set.copyOf(workloads);
        candidates = Set.copyOf(candidates);
    }

    List<Workload> workloadsOn(DatabaseKind kind, Scale scale) {
        return Workloads.of(scale).stream()
                .filter(workload ->
                        workloads.isEmpty() ? isUsual(workload, kind) : workloads.contains(workload.group()))
                .toList();
    }

    private boolean isUsual(Workload workload, DatabaseKind kind) {
        if (ONLY_WHEN_ASKED_FOR.contains(workload.group())) {
            return false;
        }
        if (full) {
            return true;
        }
        if (kind != DatabaseKind.POSTGRESQL) {
            return workload.group().equals("drain");
        }
        return !FULL_ONLY.contains(workload.name()) && !workload.group().equals("done-rows");
    }

    /** In the short form peers, whose figures are far from any bar, are measured in the first round only. */
    List<Candidate> candidatesFor(Workload workload, DatabaseKind kind, int round) {
        return candidatesFor(workload, kind).stream()
                .filter(candidate -> full || round == 0 || candidate.role() != Role.PEER)
                .toList();
    }

    private List<Candidate> candidatesFor(Workload workload, DatabaseKind kind) {
        return Candidates.all().stream()
                .filter(candidate -> candidate.runsOn(kind) && workload.suits(candidate))
                .filter(candidate -> candidates.isEmpty()
                        ? isUsual(candidate, workload, kind)
                        : candidates.contains(candidate.name()))
                .toList();
    }

    private boolean isUsual(Candidate candidate, Workload workload, DatabaseKind kind) {
        if (full) {
            return true;
        }
        if (candidate.keys() > 0) {
            return kind == DatabaseKind.POSTGRESQL
                    && candidate.keys() > 1
                    && !workload.group().equals("end-to-end");
        }
        if (workload.group().equals("consume")) {
            return true;
        }
        if (candidate.usesDefaults() && WITHOUT_DEFAULTS.contains(workload.name())) {
            return false;
        }
        return candidate.role() != Role.PEER || WITH_PEERS.contains(workload.name());
    }
}
