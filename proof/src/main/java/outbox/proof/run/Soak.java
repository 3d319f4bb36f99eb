package outbox.proof.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import outbox.proof.consumer.Consuming;
import outbox.proof.database.DatabaseKind;
import outbox.proof.fault.Slot;
import outbox.proof.history.History;
import outbox.proof.history.HistoryChecker;
import outbox.proof.node.Configuration;

/** A long time of load without faults, on outboxes of every configuration, in which nothing may grow. */
public final class Soak {

    private static final int SAMPLES = 120;

    private final DatabaseKind kind;
    private final Duration time;
    private final RoundSettings settings;

    /** With that load, for so long. */
    public Soak(DatabaseKind kind, Duration time, long seed, int eventsPerSecond, Path directory) {
        this.kind = kind;
        this.time = time;
        Map<String, Configuration> outboxes = new TreeMap<>();
        for (Configuration configuration : Configuration.withoutPerson()) {
            outboxes.put("soak_" + configuration.name().toLowerCase(Locale.ROOT), configuration);
        }
        this.settings = new RoundSettings(
                directory.resolve("soak-" + kind.label() + "-" + seed),
                time,
                RoundSettings.LONG_LEASE,
                outboxes,
                outboxes.keySet().iterator().next(),
                Consuming.LEASE,
                eventsPerSecond,
                new Random(seed));
    }

    /** Runs it. */
    public SoakResult run() throws Exception {
        try (Databases databases = Databases.start(kind);
                Processes processes = new Processes(databases, settings, false)) {
            processes.produce();
            Map<String, List<Sample>> samples = sample(processes);
            processes.endProducing();
            processes.settle();
            processes.stop();
            History history = processes.history(List.of(), processes.person());
            return new SoakResult(samples, history.bookings().size(), HistoryChecker.check(history));
        }
    }

    private Map<String, List<Sample>> sample(Processes processes) throws Exception {
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        long begun = System.nanoTime();
        for (int i = 1; i <= SAMPLES; i++) {
            long due = begun + time.toNanos() / SAMPLES * i;
            Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1_000_000)); // until the next sample
            for (Slot slot : processes.slots()) {
                samples.computeIfAbsent(slot.process(), process -> new ArrayList<>())
                        .add(Sample.parse(slot.ask("sample")));
            }
        }
        return samples;
    }
}
