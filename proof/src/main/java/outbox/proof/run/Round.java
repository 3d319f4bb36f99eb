package outbox.proof.run;

import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import outbox.proof.database.HurtDatabase;
import outbox.proof.fault.FaultInjector;
import outbox.proof.fault.FaultPlan;
import outbox.proof.history.Delivery;
import outbox.proof.history.History;
import outbox.proof.history.HistoryChecker;
import outbox.proof.history.Verdict;

/** Load and faults, then quiet until all is settled, then a verdict. */
public final class Round {

    private static final long TICK_MILLIS = 20;

    private final HurtDatabase database;
    private final RoundSettings settings;
    private final List<String> outboxes;

    private Round(HurtDatabase database, RoundSettings settings) {
        this.database = database;
        this.settings = settings;
        this.outboxes = settings.outboxes().keySet().stream().sorted().toList();
    }

    /** Runs a round with these steps. */
    public static RoundResult run(HurtDatabase database, RoundSettings settings, List<FaultPlan.Step> steps)
            throws Exception {
        return new Round(database, settings).run(steps);
    }

    private RoundResult run(List<FaultPlan.Step> steps) throws Exception {
        long begun = System.nanoTime();
        Files.createDirectories(settings.directory());
        database.begin(outboxes, settings.beginsWithFirstVersion());
        try (Nodes nodes = Nodes.start(database, settings)) {
            FaultInjector injector = new FaultInjector(database, outboxes, nodes.slots(), settings.random());
            long loadBegun = System.nanoTime();
            nodes.produce();
            takeSteps(injector, steps);
            long rolledBack = nodes.endProducing();
            nodes.settle();
            long settled = System.nanoTime();
            nodes.stop();
            History history = nodes.history(injector.windows());
            Verdict verdict = HistoryChecker.check(history);
            database.end();
            return new RoundResult(
                    database.kind(),
                    settings.outboxes(),
                    injector.counts(),
                    history.bookings().size(),
                    rolledBack,
                    history.deliveries().size(),
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
