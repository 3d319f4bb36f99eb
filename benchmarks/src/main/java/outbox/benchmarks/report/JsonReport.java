package outbox.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The results for machines. */
public final class JsonReport {

    private final Results results;
    private final List<Bar.Verdict> verdicts;
    private final RunInfo info;

    /** Reports the results and what the bars say to them. */
    public JsonReport(Results results, List<Bar.Verdict> verdicts, RunInfo info) {
        this.results = results;
        this.verdicts = verdicts;
        this.info = info;
    }

    /** The whole report as one JSON object. */
    public String text() {
        return "{\n  \"form\": " + string(info.form()) + ",\n  \"processors\": " + info.processors()
                + ",\n  \"loadBefore\": " + number(info.loadBefore()) + ",\n  \"loadAfter\": "
                + number(info.loadAfter()) + ",\n  \"seconds\": " + info.took().toSeconds() + ",\n  \"results\": "
                + array(results.summaries().stream().map(JsonReport::summary).toList()) + ",\n  \"bars\": "
                + array(verdicts.stream().map(JsonReport::verdict).toList()) + "\n}\n";
    }

    private static String summary(Summary summary) {
        Measurement.Subject subject = summary.subject();
        Measurement.Check check = summary.check();
        return "{\"database\": " + string(subject.database().label()) + ", \"workload\": " + string(subject.workload())
                + ", \"candidate\": " + string(subject.candidate()) + ", \"role\": "
                + string(subject.role().name().toLowerCase(Locale.ROOT)) + ", \"runs\": " + summary.repetitions()
                + ", \"expected\": " + check.expected() + ", \"arrived\": " + check.arrived() + ", \"duplicates\": "
                + check.duplicates() + ", \"cutOff\": " + check.cutOff() + ", \"medians\": "
                + medians(summary.medians()) + "}";
    }

    private static String medians(Map<Metric, Double> medians) {
        return medians.entrySet().stream()
                .map(entry -> string(entry.getKey().name().toLowerCase(Locale.ROOT)) + ": " + number(entry.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String verdict(Bar.Verdict verdict) {
        return "{\"bar\": " + string(verdict.bar().text()) + ", \"limit\": "
                + number(verdict.bar().limit()) + ", \"atLeast\": "
                + verdict.bar().atLeast() + ", \"measured\": "
                + verdict.measured().map(JsonReport::number).orElse("null") + ", \"verdict\": "
                + string(verdict.outcome().name().toLowerCase(Locale.ROOT)) + "}";
    }

    private static String array(List<String> elements) {
        return elements.isEmpty() ? "[]" : "[\n    " + String.join(",\n    ", elements) + "\n  ]";
    }

    private static String number(double number) {
        return Double.isFinite(number) ? String.format(Locale.ROOT, "%.4f", number) : "null";
    }

    private static String string(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
