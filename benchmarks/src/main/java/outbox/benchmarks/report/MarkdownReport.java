package outbox.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;

/** The results for people: a table for each database, and the bars. */
public final class MarkdownReport {

    private final Results results;
    private final List<Bar.Verdict> verdicts;
    private final RunInfo info;

    /** Reports the results and what the bars say to them. */
    public MarkdownReport(Results results, List<Bar.Verdict> verdicts, RunInfo info) {
        this.results = results;
        this.verdicts = verdicts;
        this.info = info;
    }

    /** The whole report. */
    public String text() {
        StringBuilder out =
                new StringBuilder("# Benchmark\n\n").append(info.describe()).append("\n");
        for (DatabaseKind database : results.databases()) {
            out.append("\n## ").append(database.label()).append("\n\n").append(table(rows(database)));
        }
        return out.append("\n## Bars\n\n").append(table(barRows())).toString();
    }

    private List<List<String>> rows(DatabaseKind database) {
        List<List<String>> rows = new ArrayList<>();
        List<String> header = new ArrayList<>(List.of("workload", "candidate"));
        List<Metric> metrics = List.of(Metric.values());
        header.add(Metric.RATE.label());
        header.add("× floor");
        header.add("× best peer");
        metrics.stream().skip(1).forEach(metric -> header.add(metric.label()));
        header.addAll(List.of("arrived", "duplicates", "runs"));
        rows.add(header);
        for (String workload : results.workloads(database)) {
            for (Summary summary : results.of(database, workload)) {
                rows.add(row(summary));
            }
        }
        return rows;
    }

    private List<String> row(Summary summary) {
        Measurement.Subject subject = summary.subject();
        List<String> row = new ArrayList<>(List.of(subject.workload(), subject.candidate()));
        row.add(figure(summary.value(Metric.RATE), Metric.RATE.decimals()));
        row.add(figure(toFloor(summary), 2));
        row.add(figure(toBestPeer(summary), 2));
        for (Metric metric : List.of(Metric.values()).subList(1, Metric.values().length)) {
            row.add(figure(summary.value(metric), metric.decimals()));
        }
        row.add(arrived(summary.check()));
        row.add(
                summary.check().expected() == 0
                        ? ""
                        : String.valueOf(summary.check().duplicates()));
        row.add(String.valueOf(summary.repetitions()));
        return row;
    }

    /** What deletes is compared with the floor that deletes; a workload that has none has the other one. */
    private Optional<Double> toFloor(Summary summary) {
        Measurement.Subject subject = summary.subject();
        String floor = subject.candidate().endsWith("-delete") ? "floor-delete" : "floor";
        return ratio(summary, results.value(subject.database(), subject.workload(), floor, Metric.RATE));
    }

    private Optional<Double> toBestPeer(Summary summary) {
        if (summary.subject().role() == Role.PEER) {
            return Optional.empty();
        }
        Measurement.Subject subject = summary.subject();
        return ratio(
                summary,
                results.bestPeer(subject.database(), subject.workload()).flatMap(peer -> peer.value(Metric.RATE)));
    }

    private static Optional<Double> ratio(Summary summary, Optional<Double> reference) {
        return summary.value(Metric.RATE)
                .flatMap(rate -> reference.filter(base -> base > 0).map(base -> rate / base));
    }

    private static String arrived(Measurement.Check check) {
        if (check.expected() == 0) {
            return "";
        }
        if (check.arrived() == check.expected()) {
            return "all " + check.expected();
        }
        return check.arrived() + " of " + check.expected() + (check.cutOff() ? " (cut off)" : " (LOST)");
    }

    private List<List<String>> barRows() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("bar", "limit", "measured", "verdict"));
        for (Bar.Verdict verdict : verdicts) {
            Bar bar = verdict.bar();
            rows.add(List.of(
                    bar.text(),
                    (bar.atLeast() ? "≥ " : "≤ ") + plain(bar.limit()),
                    figure(verdict.measured(), 3),
                    verdict.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' ')));
        }
        return rows;
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
    }

    private static String figure(Optional<Double> value, int decimals) {
        return value.map(number -> String.format(Locale.ROOT, "%,." + decimals + "f", number))
                .orElse("");
    }

    /** A Markdown table whose columns are also aligned for the eye; columns without any figure are left out. */
    static String table(List<List<String>> rows) {
        List<Integer> columns = IntStream.range(0, rows.get(0).size())
                .filter(column ->
                        rows.stream().skip(1).anyMatch(row -> !row.get(column).isEmpty()))
                .boxed()
                .toList();
        List<Integer> widths = columns.stream()
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toList();
        StringBuilder out = new StringBuilder();
        for (int row = 0; row < rows.size(); row++) {
            out.append(line(rows.get(row), columns, widths));
            if (row == 0) {
                out.append(widths.stream().map("-"::repeat).collect(Collectors.joining("-|-", "|-", "-|\n")));
            }
        }
        return out.toString();
    }

    private static String line(List<String> row, List<Integer> columns, List<Integer> widths) {
        return IntStream.range(0, columns.size())
                .mapToObj(i -> pad(row.get(columns.get(i)), widths.get(i)))
                .collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(width - text.length());
    }
}
