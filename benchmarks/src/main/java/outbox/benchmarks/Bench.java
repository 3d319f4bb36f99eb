package outbox.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.logging.LogManager;
import org.jspecify.annotations.Nullable;
import outbox.benchmarks.database.DatabaseKind;
import outbox.benchmarks.micro.MicroBenchmarks;
import outbox.benchmarks.report.Bar;
import outbox.benchmarks.report.Bars;
import outbox.benchmarks.report.JsonReport;
import outbox.benchmarks.report.MarkdownReport;
import outbox.benchmarks.report.Results;
import outbox.benchmarks.report.RunInfo;
import outbox.benchmarks.report.SvgPlot;
import outbox.benchmarks.workload.Scale;
import outbox.benchmarks.workload.Workloads;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line. Results go to standard output, progress to the error output. */
@Command(
        name = "./outbox bench",
        sortOptions = false,
        description = "Compares the outbox with bare JDBC and with its peers, on databases that it starts by itself.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:measured, whatever came out", "1:something failed", "2:bad arguments"})
public final class Bench implements Callable<Integer> {

    private static final Duration SHORT_BUDGET = Duration.ofSeconds(160);
    private static final Set<String> SHORT_DATABASES = Set.of("postgresql", "h2");
    private static final Duration NO_BUDGET = Duration.ofDays(1);

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--full",
            description = "The long form, for figures to rely on. The short one takes under three minutes.")
    private boolean full;

    @Option(
            names = "--db",
            split = ",",
            paramLabel = "DATABASE",
            description =
                    "Only these databases: postgresql, mysql, mariadb, h2. Otherwise all, and in the short form the"
                            + " first and the last.")
    private Set<String> databases = new LinkedHashSet<>();

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "WORKLOAD",
            description = "Only these workloads: drain, listeners, end-to-end, write, batch, ordered, consume, latency,"
                    + " done-rows, large-drain, idle.")
    private Set<String> workloads = new LinkedHashSet<>();

    @Option(
            names = "--candidates",
            split = ",",
            paramLabel = "NAME",
            description =
                    "Only these candidates, for instance floor,outbox,db-scheduler. With -defaults behind its name, a"
                            + " candidate has the settings that its documentation gives; without, settings for speed.")
    private Set<String> candidates = new LinkedHashSet<>();

    @Option(names = "--rounds", paramLabel = "N", description = "How often everything is measured.")
    private @Nullable Integer rounds;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the results there as JSON.")
    private @Nullable Path json;

    @Option(names = "--svg", paramLabel = "FILE", description = "Draws the comparison there.")
    private @Nullable Path svg;

    @Option(names = "--micro", description = "Instead, runs the JMH benchmarks of what happens for each event.")
    private boolean micro;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this text.")
    @SuppressWarnings("unused") // picocli looks at it
    private boolean help;

    /** Runs the benchmark and ends the process. */
    public static void main(String[] arguments) {
        LogManager.getLogManager().reset();
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Bench());
    }

    @Override
    public Integer call() throws Exception {
        check("--db", databases, List.of("postgresql", "mysql", "mariadb", "h2"));
        check("--only", workloads, Workloads.groups());
        check("--candidates", candidates, Candidates.names());
        if (rounds != null && rounds < 1) {
            throw bad("--rounds must be at least 1, was " + rounds);
        }
        if (micro) {
            MicroBenchmarks.run();
            return 0;
        }
        return measure();
    }

    private int measure() throws Exception {
        double loadBefore = load();
        long begin = System.nanoTime();
        Runner runner = new Runner(new Plan(full, workloads, candidates), scale());
        boolean asked = rounds != null || full;
        Results results = new Results(runner.run(kinds(), asked ? NO_BUDGET : SHORT_BUDGET));
        RunInfo info = new RunInfo(
                full ? "full" : "short",
                Runtime.getRuntime().availableProcessors(),
                loadBefore,
                load(),
                Duration.ofNanos(System.nanoTime() - begin));
        report(results, info);
        return results.summaries().isEmpty() ? 1 : 0;
    }

    private void report(Results results, RunInfo info) throws IOException {
        List<Bar.Verdict> verdicts =
                Bars.all().stream().map(bar -> bar.judge(results)).toList();
        System.out.println(new MarkdownReport(results, verdicts, info).text());
        if (json != null) {
            Files.writeString(json, new JsonReport(results, verdicts, info).text());
        }
        if (svg != null && !results.databases().isEmpty()) {
            Files.writeString(svg, new SvgPlot(results, results.databases().get(0)).text());
        }
    }

    private Scale scale() {
        Scale scale = full ? Scale.FULL : Scale.SHORT;
        return rounds == null ? scale : scale.withRounds(rounds);
    }

    private List<DatabaseKind> kinds() {
        Set<String> chosen = databases.isEmpty() && !full ? SHORT_DATABASES : databases;
        return List.of(DatabaseKind.values()).stream()
                .filter(kind -> chosen.isEmpty() || chosen.contains(kind.label()))
                .toList();
    }

    private void check(String option, Set<String> given, List<String> known) {
        for (String value : given) {
            if (!known.contains(value)) {
                throw bad(option + " must be of " + String.join(", ", known) + ", was " + value);
            }
        }
    }

    private ParameterException bad(String message) {
        return new ParameterException(spec == null ? new CommandLine(this) : spec.commandLine(), message);
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }
}
