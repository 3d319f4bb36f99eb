package outbox.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.BenchServer;
import outbox.benchmarks.database.BenchServers;
import outbox.benchmarks.database.DatabaseKind;
import outbox.benchmarks.report.Measurement;
import outbox.benchmarks.report.Progress;
import outbox.benchmarks.workload.Scale;
import outbox.benchmarks.workload.Workload;

/**
 * Runs a plan, one database after the other, in rounds: each round measures everything once, with the candidates of a workload
 * next to each other and in another order than before, so that a busy minute of the machine hits all alike.
 */
final class Runner {

    private static final String DRAIN = "drain";
    private static final Set<String> WARMING = Set.of(DRAIN, "end-to-end-8", "end-to-end-8-ordered", "consume-1");

    private final Plan plan;
    private final Scale scale;

    Runner(Plan plan, Scale scale) {
        this.plan = plan;
        this.scale = scale;
    }

    /**
     * Measures on each database.
     *
     * @param budget no workload is repeated that would not end within it
     */
    List<Measurement> run(List<DatabaseKind> kinds, Duration budget) throws SQLException {
        long deadline = System.nanoTime() + budget.toNanos();
        List<Measurement> measurements = new ArrayList<>();
        for (int i = 0; i < kinds.size(); i++) {
            Progress.say("Starting " + kinds.get(i).label() + " ...");
            try (BenchServer server = BenchServers.start(kinds.get(i))) {
                measurements.addAll(runOn(server, deadlineOf(kinds, i, deadline)));
            }
        }
        return measurements;
    }

    /** PostgreSQL, which has more to do than the others together, gets what they leave. */
    private static long deadlineOf(List<DatabaseKind> kinds, int index, long deadline) {
        Duration forEachLaterOne = Duration.ofSeconds(18);
        return deadline
                - forEachLaterOne.multipliedBy(kinds.size() - 1L - index).toNanos();
    }

    private List<Measurement> runOn(BenchServer server, long deadline) {
        List<Workload> workloads = plan.workloadsOn(server.kind(), scale);
        List<Measurement> measurements = new ArrayList<>(warmUp(server, workloads));
        List<Workload> timed =
                workloads.stream().filter(workload -> !workload.isFreeOfNoise()).toList();
        TimeLeft timeLeft = new TimeLeft(deadline);
        for (int round = 0; round < scale.rounds(); round++) {
            for (Workload workload : timed) {
                if (timeLeft.isEnoughFor(workload.name())) {
                    int thisRound = round;
                    measurements.addAll(timeLeft.spendOn(workload.name(), () -> measure(server, workload, thisRound)));
                }
            }
        }
        return measurements;
    }

    private List<Measurement> measure(BenchServer server, Workload workload, int round) {
        Progress.say("Round " + (round + 1) + ", " + server.kind().label() + ", " + workload.name());
        return workload.measure(server, rotated(plan.candidatesFor(workload, server.kind(), round), round), scale);
    }

    /** Has code compiled, and meanwhile measures what is not a matter of time. */
    private List<Measurement> warmUp(BenchServer server, List<Workload> workloads) {
        Progress.say("Warming up on " + server.kind().label());
        CompletableFuture<List<Measurement>> beside = CompletableFuture.supplyAsync(() -> workloads.stream()
                .filter(Workload::isFreeOfNoise)
                .flatMap(workload ->
                        workload.measure(server, plan.candidatesFor(workload, server.kind(), 0), scale).stream())
                .toList());
        for (Workload workload : workloads) {
            if (!workload.isFreeOfNoise()) {
                for (Candidate candidate : toWarmUp(workload, server)) {
                    boolean brief = candidate.role() == Role.PEER && !plan.full();
                    workload.measure(server, List.of(candidate), brief ? Scale.BRIEF_WARM_UP : Scale.WARM_UP);
                }
            }
        }
        return beside.join();
    }

    /** Draining, delivering and consuming touch nearly all code; the peers, slow to start, have to do with delivering. */
    private List<Candidate> toWarmUp(Workload workload, BenchServer server) {
        boolean only = plan.workloads().size() == 1;
        if (!only && !WARMING.contains(workload.name())) {
            return List.of();
        }
        return plan.candidatesFor(workload, server.kind(), 0).stream()
                .filter(candidate -> only
                        || plan.full()
                        || candidate.role() != Role.PEER
                        || !workload.name().equals(DRAIN))
                .toList();
    }

    private static List<Candidate> rotated(List<Candidate> candidates, int by) {
        List<Candidate> rotated = new ArrayList<>(candidates);
        Collections.rotate(rotated, -by);
        return rotated;
    }
}
