package outbox.cluster.order;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** When what is done to which node; depends on nothing but the seed. */
final class FaultPlan {

    enum Action {
        KILL(0),
        /** At any moment, for instance in the middle of a transaction, whose locks then hold up the other nodes. */
        PAUSE(1),
        /** Between two transactions. */
        PAUSE_BETWEEN_WRITES(1),
        RESUME(-1),
        RESTART(0);

        private final int pauses;

        Action(int pauses) {
            this.pauses = pauses;
        }
    }

    /** What is due after so many milliseconds of load. */
    record Step(long atMillis, Action action, int slot) {}

    /** So long it may take until a node that was started can be paused. */
    private static final long START_MILLIS = 3_000;

    private final Random random;
    private final int nodes;
    private final List<Step> steps = new ArrayList<>();

    FaultPlan(long seed, OrderForm form, int nodes, Duration lease) {
        this.random = new Random(seed);
        this.nodes = nodes;
        for (int i = 0; i < share(form.pauses); i++) {
            long at = 500L + random.nextInt(form.loadMillis / 2);
            pause(at, at + lease.toMillis() * 3 / 2);
        }
        for (int i = 0; i < share(form.kills); i++) {
            add(1_000 + random.nextInt(form.loadMillis - 1_000), Action.KILL);
        }
        for (int i = 0; i < share(form.restarts); i++) {
            add(1_000 + random.nextInt(form.loadMillis - 1_000), Action.RESTART);
        }
        steps.sort(Comparator.comparing(Step::atMillis));
    }

    /** A form is meant for three nodes; fewer of them must be left some time to live. */
    private int share(int faults) {
        return Math.max(Math.min(faults, 2), faults * nodes / 3);
    }

    private void pause(long from, long to) {
        int slot = random.nextInt(nodes);
        steps.add(new Step(from, random.nextBoolean() ? Action.PAUSE : Action.PAUSE_BETWEEN_WRITES, slot));
        steps.add(new Step(to, Action.RESUME, slot));
    }

    /** Mostly another node than one that is paused or will be so soon, so that pauses come to their end. */
    private void add(long at, Action action) {
        int slot = random.nextInt(nodes);
        steps.add(new Step(at, action, isNeededForPause(slot, at) ? (slot + 1) % nodes : slot));
    }

    private boolean isNeededForPause(int slot, long at) {
        return isPaused(slot, at) || isPaused(slot, at + START_MILLIS);
    }

    private boolean isPaused(int slot, long at) {
        int pauses = 0;
        for (Step step : steps) {
            if (step.slot == slot && step.atMillis <= at) {
                pauses += step.action.pauses;
            }
        }
        return pauses > 0;
    }

    /** Takes out what is due. */
    List<Step> due(long millis) {
        List<Step> due = steps.stream().filter(step -> step.atMillis <= millis).toList();
        steps.removeAll(due);
        return due;
    }

    boolean isDone() {
        return steps.isEmpty();
    }
}
