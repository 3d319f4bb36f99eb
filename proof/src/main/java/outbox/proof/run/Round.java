package outbox.proof.run;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import outbox.proof.fault.FaultInjector;
import outbox.proof.fault.FaultKind;
import outbox.proof.fault.FaultPlan;
import outbox.proof.history.Delivery;
import outbox.proof.history.History;
import outbox.proof.history.HistoryChecker;
import outbox.proof.history.Verdict;

/** Load and faults, then quiet until all is settled, then a verdict. */
public final class Round {

    private static final long TICK_MILLIS = 20;
    private static final Duration BETWEEN_LOOKS_AT_KILLERS = Duration.ofMillis(500);
    private static final Duration PATIENCE_WITH_KILLERS = Duration.ofMinutes(2);

    private final Databases databases;
    private final RoundSettings settings;

    private Round(Databases databases, RoundSettings settings) {
        this.databases = databases;
        this.settings = settings;
    }

    /** Runs a round with these steps. */
    public static RoundResult run(Databases databases, RoundSettings settings, List<FaultPlan.Step> steps)
            throws Exception {
        return new Round(databases, settings).run(steps);
    }

    private RoundResult run(List<FaultPlan.Step> steps) throws Exception {
        long begun = System.nanoTime();
        boolean firstVersion = steps.stream().anyMatch(step -> step.kind() == FaultKind.MIGRATE_TABLES);
        try (Processes processes = new Processes(databases, settings, firstVersion);
                Person person = processes.person()) {
            person.start();
            FaultInjector injector = processes.injector();
            long loadBegun = System.nanoTime();
            processes.produce();
            takeSteps(injector, steps);
            long rolledBack = processes.endProducing();
            outliveKillers(processes, injector);
            processes.settle();
            person.rest();
            long settled = System.nanoTime();
            processes.stop();
            History history = processes.history(injector.windows(), person);
            Verdict verdict = HistoryChecker.check(history);
            databases.ofNodes().end();
            databases.ofConsumers().end();
            return new RoundResult(
                    databases.kind(),
                    settings.commitBeside(),
                    settings.outboxes(),
                    settings.consumed(),
                    settings.consuming(),
                    injector.counts(),
                    history.bookings().size(),
                    rolledBack,
                    history.deliveries().size(),
                    history.consumption().effects().size(),
                    new RoundResult.Decisions(person.discards().size(), person.replays(), person.longestQueue()),
                    verdict,
                    longestPause(history.deliveries(), loadBegun, settled),
                    Duration.ofNanos(System.nanoTime() - begun));
        }
    }

    private void takeSteps(FaultInjector injector, List<FaultPlan.Step> steps) throws Exception {
        Queue<FaultPlan.Step> left = new ArrayDeque<>(steps);
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < settings.load().toNanos() || !injector.isQuiet()) {
            FaultPlan.Step next = left.peek();
            if (next != null && System.nanoTime() - begun >= next.at().toNanos()) {
                injector.take(left.remove());
            }
            injector.look();
            Thread.sleep(TICK_MILLIS); // the finest that the plan knows
        }
    }

    /** Puts new processes into the place of those that an event ends, until there is no such event any more. */
    private static void outliveKillers(Processes processes, FaultInjector injector) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_WITH_KILLERS.toNanos();
        while (processes.killersLeft() > 0 && System.nanoTime() < deadline) {
            lookFor(injector, BETWEEN_LOOKS_AT_KILLERS);
        }
        while (!injector.isQuiet()) {
            lookFor(injector, Duration.ZERO);
        }
    }

    private static void lookFor(FaultInjector injector, Duration time) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        do {
            injector.look();
            Thread.sleep(TICK_MILLIS);
        } while (System.nanoTime() < end);
    }

    private static Duration longestPause(List<Delivery> deliveries, long from, long to) {
        List<Long> ends = Stream.concat(
                        deliveries.stream()
                                .filter(delivery -> delivery.result() == Delivery.Result.OK)
                                .map(Delivery::end),
                        Stream.of(from, to))
                .filter(nanos -> nanos >= from && nanos <= to)
                .sorted()
                .collect(Collectors.toList());
        long longest = 0;
        for (int i = 1; i < ends.size(); i++) {
            longest = Math.max(longest, ends.get(i) - ends.get(i - 1));
        }
        return Duration.ofNanos(longest);
    }
}
