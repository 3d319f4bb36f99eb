package outbox.proof.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.proof.consumer.Consuming;
import outbox.proof.database.DatabaseKind;
import outbox.proof.fault.FaultKind;
import outbox.proof.fault.FaultPlan;
import outbox.proof.node.Configuration;

/** Rounds on one database until the time is over; each with two outboxes, so that every configuration has its turn. */
public final class Campaign {

    private static final Duration LONGEST_LOAD = Duration.ofSeconds(75);
    private static final Duration SHORTEST_LOAD = Duration.ofSeconds(12);

    /** So long a round takes before and after its load, roughly. */
    private static final Duration AROUND_LOAD = Duration.ofSeconds(12);

    private static final Duration BETWEEN_FAULTS = Duration.ofSeconds(3);

    /** Its events go to consumers, whatever its configuration in this round. */
    private static final String CONSUMED = "hrm_outbox";

    private final DatabaseKind kind;
    private final Duration time;
    private final Load load;
    private final Path directory;
    private final Random random;
    private final FaultPlan plan;
    private final Turns<Configuration> configurations;
    private final Turns<Configuration> ordered;
    private final Turns<Consuming> consumings;

    /**
     * What is done to the processes.
     *
     * @param eventsPerSecond how much they write, on average, all together
     * @param faults the kinds of faults that befall them
     * @param older an older program that one node of each round runs, in turn; null if all are of today
     */
    public record Load(
            int eventsPerSecond,
            Set<FaultKind> faults,
            @Nullable Older older) {

        /** With nodes of today. */
        public Load(int eventsPerSecond, Set<FaultKind> faults) {
            this(eventsPerSecond, faults, null);
        }

        private List<Configuration> configurations(Predicate<Configuration> which) {
            return Configuration.forAnyFault().stream()
                    .filter(configuration -> older == null || older.knows(configuration))
                    .filter(which)
                    .toList();
        }
    }

    /** All that is random depends on the seed, but for what the machine adds. */
    public Campaign(DatabaseKind kind, Duration time, long seed, Load load, Path directory) {
        this.kind = kind;
        this.time = time;
        this.load = load;
        this.directory = directory.resolve(kind.label() + "-" + seed);
        this.random = new Random(seed);
        this.plan = new FaultPlan(new Random(random.nextLong()), load.faults());
        this.configurations = new Turns<>(load.configurations(any -> true), random);
        this.ordered = new Turns<>(load.configurations(Configuration::isOrdered), random);
        this.consumings = new Turns<>(List.of(Consuming.values()), random);
    }

    /** Runs the rounds, and tells the result of each as soon as it is there. */
    public List<RoundResult> run(Consumer<RoundResult> listener) throws Exception {
        List<RoundResult> results = new ArrayList<>();
        long end = System.nanoTime() + time.toNanos();
        try (Databases databases = Databases.start(kind)) {
            do {
                RoundSettings settings = new RoundSettings(
                        directory.resolve("round-" + results.size()),
                        timeOfLoad(Duration.ofNanos(end - System.nanoTime())),
                        RoundSettings.SHORT_LEASE,
                        nextOutboxes(),
                        CONSUMED,
                        consumings.next(),
                        load.eventsPerSecond(),
                        olderNode(results.size()),
                        new Random(random.nextLong()));
                RoundResult result = Round.run(databases, settings, steps(settings));
                results.add(result);
                listener.accept(result);
            } while (end - System.nanoTime() > SHORTEST_LOAD.plus(AROUND_LOAD).toNanos());
        }
        return results;
    }

    private List<FaultPlan.Step> steps(RoundSettings settings) {
        int processes = RoundSettings.NODES + RoundSettings.CONSUMERS;
        List<FaultPlan.Step> steps =
                new ArrayList<>(plan.round(settings.load(), processes, BETWEEN_FAULTS, settings::bears));
        if (load.faults().contains(FaultKind.MIGRATE_TABLES) && settings.canBeginWithFirstVersion()) {
            steps.add(new FaultPlan.Step(settings.load().dividedBy(2), FaultKind.MIGRATE_TABLES, 0, Duration.ZERO));
            steps.sort(Comparator.comparing(FaultPlan.Step::at));
        }
        return steps;
    }

    private static Duration timeOfLoad(Duration left) {
        Duration fits = left.minus(AROUND_LOAD);
        if (fits.compareTo(LONGEST_LOAD) > 0) {
            return LONGEST_LOAD;
        }
        return fits.compareTo(SHORTEST_LOAD) < 0 ? SHORTEST_LOAD : fits;
    }

    private RoundSettings.@Nullable OlderNode olderNode(int round) {
        Older older = load.older();
        return older == null ? null : new RoundSettings.OlderNode(older, round % RoundSettings.NODES);
    }

    /** Beside an older program one of them is always ordered. What is consumed does not wait for a person. */
    private Map<String, Configuration> nextOutboxes() {
        Configuration first = load.older() == null ? configurations.next() : ordered.next();
        Configuration second = configurations.next();
        Map<String, Configuration> outboxes = new LinkedHashMap<>();
        outboxes.put("org_outbox", second.holdsKeys() ? second : first);
        outboxes.put(CONSUMED, second.holdsKeys() ? first : second);
        return outboxes;
    }
}
