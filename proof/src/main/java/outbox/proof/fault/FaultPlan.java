package outbox.proof.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What shall happen when to whom; depends on nothing but the random numbers. Every kind that can comes once before one comes again. */
public final class FaultPlan {

    private static final int FIRST_MILLIS = 1_000;

    /** So long no fault begins before the load ends, so that each is still felt. */
    private static final int LAST_MILLIS = 2_000;

    private final Random random;
    private final Set<FaultKind> kinds;
    private final List<FaultKind> left = new ArrayList<>();

    /** A plan for any number of rounds, with faults of these kinds; when tables are migrated is not its business. */
    public FaultPlan(Random random, Set<FaultKind> kinds) {
        this.random = random;
        this.kinds = EnumSet.noneOf(FaultKind.class);
        this.kinds.addAll(kinds);
        this.kinds.remove(FaultKind.MIGRATE_TABLES);
    }

    /** What is due so long after the beginning of a round, for how long, and to which process, if to one. */
    public record Step(Duration at, FaultKind kind, int slot, Duration time) {}

    /**
     * The steps of the next round, in their order.
     *
     * @param possible which kinds may come in this round; others wait for a later one
     */
    public List<Step> round(Duration load, int processes, Duration meanPause, Predicate<FaultKind> possible) {
        List<Step> steps = new ArrayList<>();
        if (kinds.isEmpty()) {
            return steps;
        }
        long mean = meanPause.toMillis();
        long at = FIRST_MILLIS + random.nextLong(mean);
        while (at < load.toMillis() - LAST_MILLIS) {
            long left = load.toMillis() - at;
            FaultKind kind = nextKind(any -> possible.test(any) && any.needsMillis() <= left);
            if (kind == null) {
                break;
            }
            int time = kind.shortestMillis + random.nextInt(kind.longestMillis - kind.shortestMillis + 1);
            steps.add(new Step(Duration.ofMillis(at), kind, random.nextInt(processes), Duration.ofMillis(time)));
            at += mean / 2 + random.nextLong(mean);
        }
        return steps;
    }

    private @Nullable FaultKind nextKind(Predicate<FaultKind> possible) {
        FaultKind kind = takeLast(possible);
        if (kind == null) {
            refill();
            kind = takeLast(possible);
        }
        return kind;
    }

    private @Nullable FaultKind takeLast(Predicate<FaultKind> possible) {
        for (int i = left.size() - 1; i >= 0; i--) {
            if (possible.test(left.get(i))) {
                return left.remove(i);
            }
        }
        return null;
    }

    /** Those that were not possible so far stay the next ones. */
    private void refill() {
        List<FaultKind> more = new ArrayList<>(kinds);
        more.removeAll(left);
        Collections.shuffle(more, random);
        left.addAll(0, more);
    }
}
