package outbox.proof.order;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import outbox.proof.database.DatabaseKind;
import outbox.proof.fault.FaultKind;
import outbox.proof.fault.FaultPlan;

/** Mostly part of an application, so it dies together with all processes, and the next ones find what was committed. */
class H2OrderIT extends OrderSuite {

    private static final Duration BETWEEN_CRASHES = Duration.ofSeconds(8);

    @Override
    DatabaseKind kind() {
        return DatabaseKind.H2;
    }

    @Override
    List<FaultPlan.Step> faults(OrderForm form) {
        List<FaultPlan.Step> steps = new ArrayList<>();
        Duration end = BETWEEN_CRASHES;
        while (end.compareTo(form.load) <= 0) {
            Duration crash = end.minusMillis(5_500);
            steps.add(new FaultPlan.Step(crash, FaultKind.KILL_DATABASE, 0, Duration.ZERO));
            for (int node = 0; node < NODES; node++) {
                steps.add(new FaultPlan.Step(crash, FaultKind.KILL_PROCESS, node, Duration.ZERO));
            }
            Duration later = end.minusMillis(1_000);
            steps.add(new FaultPlan.Step(later, FaultKind.RESTART_PROCESS, 1, Duration.ZERO));
            steps.add(new FaultPlan.Step(later, FaultKind.PAUSE_PROCESS, 2, BEYOND_LEASE));
            end = end.plus(BETWEEN_CRASHES);
        }
        return steps;
    }
}
