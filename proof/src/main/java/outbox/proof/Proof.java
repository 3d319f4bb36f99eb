package outbox.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.proof.database.DatabaseKind;
import outbox.proof.fault.FaultKind;
import outbox.proof.report.ProofReport;
import outbox.proof.report.SoakReport;
import outbox.proof.run.Campaign;
import outbox.proof.run.Older;
import outbox.proof.run.RoundResult;
import outbox.proof.run.Soak;
import outbox.proof.run.SoakResult;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line. The report goes to standard output, progress to the error output. */
@Command(
        name = "./outbox proof",
        sortOptions = false,
        description =
                "Hurts nodes, consumers, networks and databases under load, and compares what was delivered and done with what was committed.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:all promises were kept", "1:one was broken, or something else failed", "2:bad arguments"})
public final class Proof implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            defaultValue = "2",
            description = "How long, on each database. Default: ${DEFAULT-VALUE}.")
    private double minutes;

    @Option(names = "--seed", paramLabel = "S", description = "For the same faults again. Otherwise a new one.")
    private @Nullable Long seed;

    @Option(
            names = "--db",
            split = ",",
            paramLabel = "DATABASE",
            description = "Only these databases: postgresql, mysql, mariadb.")
    private Set<String> databases = new LinkedHashSet<>();

    @Option(
            names = "--faults",
            split = ",",
            paramLabel = "FAULT",
            description = "Only these kinds of faults: ${COMPLETION-CANDIDATES}.",
            completionCandidates = FaultNames.class)
    private Set<String> faults = new LinkedHashSet<>();

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "400",
            description = "Events a second that are written, on average. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(
            names = "--beside",
            paramLabel = "COMMIT",
            description = "One of the three nodes is that of an older commit, which is compiled below target/beside.")
    private @Nullable String beside;

    @Option(names = "--beside-class-path", hidden = true, description = "Where ./outbox has compiled the older commit.")
    private @Nullable String besideClassPath;

    @Option(
            names = "--soak",
            description =
                    "Instead, load without faults, usually for 30 minutes on one database, in which nothing may grow.")
    private boolean soak;

    @Option(
            names = "--out",
            paramLabel = "DIRECTORY",
            defaultValue = "target/proof",
            description = "Where report.md, report.json and the journals go. Default: ${DEFAULT-VALUE}.")
    private Path out = Path.of("target/proof");

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this text.")
    @SuppressWarnings("unused") // picocli looks at it
    private boolean help;

    /** Runs the proof and ends the process. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Proof());
    }

    @Override
    public Integer call() throws Exception {
        check();
        long usedSeed = seed == null ? System.nanoTime() : seed;
        return soak ? soak(usedSeed) : prove(usedSeed);
    }

    private int prove(long usedSeed) throws Exception {
        Map<DatabaseKind, List<RoundResult>> results = new EnumMap<>(DatabaseKind.class);
        Older older = older();
        for (DatabaseKind kind : kinds()) {
            Campaign.Load load = new Campaign.Load(rate, faultKinds(), older);
            results.put(kind, new Campaign(kind, time(), usedSeed, load, out.toAbsolutePath()).run(Proof::progress));
        }
        ProofReport report = new ProofReport(command(usedSeed), results);
        write("report.md", report.markdown());
        write("report.json", report.json());
        System.out.println(report.markdown());
        boolean good = results.values().stream()
                .flatMap(List::stream)
                .allMatch(round -> round.verdict().isGood());
        return good ? 0 : 1;
    }

    private @Nullable Older older() throws IOException, ClassNotFoundException {
        if (beside == null || besideClassPath == null) {
            return null;
        }
        Older older = Older.at(beside, besideClassPath);
        for (FaultKind kind : faultKinds()) {
            if (faults.contains(kind.option()) && !older.bears(kind)) {
                throw bad("--faults must be of what " + beside + " can meet, was " + kind.option());
            }
        }
        return older;
    }

    private int soak(long usedSeed) throws Exception {
        boolean good = true;
        StringBuilder text = new StringBuilder();
        for (DatabaseKind kind : kinds()) {
            SoakResult result = new Soak(kind, time(), usedSeed, rate, out.toAbsolutePath()).run();
            good &= result.isGood();
            text.append("`")
                    .append(command(usedSeed))
                    .append("`, ")
                    .append(kind.label())
                    .append("\n\n");
            text.append(new SoakReport(result).text()).append('\n');
        }
        write("soak.md", text.toString());
        System.out.println(text);
        return good ? 0 : 1;
    }

    private void write(String name, String text) throws IOException {
        Files.createDirectories(out);
        Files.writeString(out.resolve(name), text);
    }

    private List<DatabaseKind> kinds() {
        return DatabaseKind.forAnyFault().stream()
                .filter(kind -> databases.isEmpty() || databases.contains(kind.label()))
                .toList();
    }

    private Set<FaultKind> faultKinds() {
        return Stream.of(FaultKind.values())
                .filter(kind -> faults.isEmpty() || faults.contains(kind.option()))
                .collect(Collectors.toSet());
    }

    private Duration time() {
        return Duration.ofMillis((long) (minutes * 60_000));
    }

    private static void progress(RoundResult round) {
        System.err.printf(
                Locale.ROOT,
                "%s %s: %d events, %d faults, %d repeated by a fault, %d in the longest queue behind a dead one, %d violations, %d s%n",
                round.database().label(),
                round.outboxes().values(),
                round.committed(),
                round.faultCount(),
                round.verdict().explainedRepeats(),
                round.decisions().longestQueue(),
                round.verdict().violations().size(),
                round.took().toSeconds());
        if (!round.verdict().isGood()) {
            System.err.println(
                    round.verdict().summary() + "\n" + round.verdict().describe());
        }
    }

    private String command(long usedSeed) {
        String chosen = (databases.isEmpty() ? "" : " --db " + String.join(",", databases))
                + (faults.isEmpty() ? "" : " --faults " + String.join(",", faults))
                + (beside == null ? "" : " --beside " + beside);
        return "./outbox proof" + (soak ? " --soak" : "") + " --minutes " + minutes + " --rate " + rate + " --seed "
                + usedSeed + chosen;
    }

    private void check() {
        List<String> known =
                DatabaseKind.forAnyFault().stream().map(DatabaseKind::label).toList();
        for (String database : databases) {
            if (!known.contains(database)) {
                throw bad("--db must be of " + String.join(", ", known) + ", was " + database);
            }
        }
        List<String> knownFaults = new FaultNames();
        for (String fault : faults) {
            if (!knownFaults.contains(fault)) {
                throw bad("--faults must be of " + String.join(", ", knownFaults) + ", was " + fault);
            }
        }
        if (soak && !faults.isEmpty()) {
            throw bad("--faults must not be given with --soak, which has none, was " + String.join(",", faults));
        }
        if (soak && beside != null) {
            throw bad("--beside must not be given with --soak, was " + beside);
        }
        if ((beside == null) != (besideClassPath == null)) {
            throw bad("--beside must come through ./outbox, which compiles the commit, was " + beside);
        }
        if (!(minutes > 0 && minutes <= 24 * 60)) {
            throw bad("--minutes must be more than 0 and at most a day, was " + minutes);
        }
        if (rate < 3 || rate > 100_000) {
            throw bad("--rate must be 3 to 100000 events a second, was " + rate);
        }
    }

    /** What the option may say. */
    private static final class FaultNames extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        FaultNames() {
            super(Stream.of(FaultKind.values()).map(FaultKind::option).toList());
        }
    }

    private ParameterException bad(String message) {
        return new ParameterException(spec == null ? new CommandLine(this) : spec.commandLine(), message);
    }
}
