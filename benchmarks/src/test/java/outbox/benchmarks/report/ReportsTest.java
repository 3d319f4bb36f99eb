package outbox.benchmarks.report;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;

import static org.assertj.core.api.Assertions.assertThat;

class ReportsTest {

    private static final RunInfo INFO = new RunInfo("short", 2, 0.5, 1.5, Duration.ofSeconds(99));

    private final Results results = new Results(List.of(
            Samples.rate("drain", "floor", Role.FLOOR, 50_000),
            Samples.rate("drain", "floor-delete", Role.FLOOR, 60_000),
            Samples.rate("drain", "outbox", Role.OURS, 40_000),
            Samples.rate("drain", "outbox-delete", Role.OURS, 45_000),
            Samples.rate("drain", "peer", Role.PEER, 5_000),
            new Measurement(
                    new Measurement.Subject(DatabaseKind.POSTGRESQL, "drain", "loser", Role.PEER),
                    Map.of(Metric.RATE, 1.0),
                    new Measurement.Check(10, 9, 2, false)),
            new Measurement(
                    new Measurement.Subject(DatabaseKind.POSTGRESQL, "drain", "sleeper", Role.PEER),
                    Map.of(Metric.RATE, 0.5),
                    new Measurement.Check(10, 3, 0, true))));
    private final List<Bar.Verdict> verdicts =
            Bars.all().stream().map(bar -> bar.judge(results)).toList();

    @Test
    void the_table_has_ratios_to_the_floor_of_the_same_kind_and_to_the_best_peer() {
        String text = new MarkdownReport(results, verdicts, INFO).text();
        assertThat(line(text, "outbox ")).contains("| 40,000 ", "| 0.80 ", "| 8.00 ");
        assertThat(line(text, "outbox-delete")).contains("| 45,000 ", "| 0.75 ", "| 9.00 ");
        assertThat(line(text, "peer")).contains("| 5,000 ", "| 0.10 ");
    }

    @Test
    void the_table_shows_what_was_lost_repeated_or_cut_off() {
        String text = new MarkdownReport(results, verdicts, INFO).text();
        assertThat(line(text, "outbox ")).contains("| all 10 ", "| 0 ");
        assertThat(line(text, "loser")).contains("| 9 of 10 (LOST) ", "| 2 ");
        assertThat(line(text, "sleeper")).contains("| 3 of 10 (cut off) ");
    }

    @Test
    void the_table_leaves_out_what_nobody_measured() {
        assertThat(new MarkdownReport(results, verdicts, INFO).text())
                .doesNotContain("p99 ms")
                .contains("| drain, mark DONE: × floor")
                .contains("≥ 0.6")
                .contains("| pass")
                .contains("| not measured")
                .contains("load average 0.50 before and 1.50 after");
    }

    @Test
    void all_lines_of_a_table_are_equally_long() {
        String table = MarkdownReport.table(List.of(List.of("a", "long header"), List.of("long cell", "b")));
        assertThat(table.lines().map(String::length).distinct()).hasSize(1);
    }

    @Test
    void the_json_has_every_result_and_every_bar() {
        String json = new JsonReport(results, verdicts, INFO).text();
        assertThat(json)
                .contains("\"candidate\": \"outbox-delete\"")
                .contains("\"medians\": {\"rate\": 45000.0000}")
                .contains("\"cutOff\": true")
                .contains("\"measured\": null");
        assertThat(count(json, "\"verdict\":")).isEqualTo(verdicts.size());
        assertThat(count(json, "{")).isEqualTo(count(json, "}"));
    }

    @Test
    void the_plot_has_a_bar_for_each_candidate() throws Exception {
        String svg = new SvgPlot(results, DatabaseKind.POSTGRESQL).text();
        Document drawing = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        assertThat(drawing.getElementsByTagName("rect").getLength()).isEqualTo(1 + 7);
        assertThat(svg).contains(">floor-delete</text>", ">60,000</text>");
    }

    private static String line(String text, String candidate) {
        return text.lines()
                .filter(line -> line.contains("| " + candidate))
                .findFirst()
                .orElseThrow();
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }
}
