package outbox.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;

/** A bar chart of the rates on one database: a group for each workload, each group scaled to its own best. */
public final class SvgPlot {

    private static final int WIDTH = 860;
    private static final int LABELS = 190;
    private static final int BAR = 16;
    private static final int GAP = 4;
    private static final int HEADING = 34;
    private static final int ROOM_FOR_FIGURES = 170;
    private static final Map<Role, String> COLOURS =
            Map.of(Role.FLOOR, "#9aa5b1", Role.OURS, "#1f7a4d", Role.PEER, "#b5651d");

    private final Results results;
    private final DatabaseKind database;

    /** Draws what was measured on the database. */
    public SvgPlot(Results results, DatabaseKind database) {
        this.results = results;
        this.database = database;
    }

    /** The drawing. */
    public String text() {
        List<String> shapes = new ArrayList<>();
        int y = 10;
        for (String workload : results.workloads(database)) {
            List<Summary> bars = results.of(database, workload).stream()
                    .filter(summary -> summary.value(Metric.RATE).isPresent())
                    .toList();
            if (!bars.isEmpty()) {
                y = group(shapes, workload, bars, y);
            }
        }
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + WIDTH + "\" height=\"" + (y + 10)
                + "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                + "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + String.join("\n", shapes)
                + "\n</svg>\n";
    }

    private int group(List<String> shapes, String workload, List<Summary> bars, int top) {
        double best = bars.stream().mapToDouble(SvgPlot::rate).max().orElse(1);
        shapes.add(text(10, top + 18, "font-weight=\"bold\"", workload + ", events/s on " + database.label()));
        int y = top + HEADING;
        for (Summary bar : bars) {
            int width = (int) Math.max(1, (WIDTH - LABELS - ROOM_FOR_FIGURES) * rate(bar) / best);
            shapes.add(text(
                    LABELS - 8, y + 12, "text-anchor=\"end\"", bar.subject().candidate()));
            shapes.add("<rect x=\"" + LABELS + "\" y=\"" + y + "\" width=\"" + width + "\" height=\"" + BAR
                    + "\" fill=\"" + COLOURS.get(bar.subject().role()) + "\"/>");
            shapes.add(text(LABELS + width + 6, y + 12, "", String.format(Locale.ROOT, "%,.0f", rate(bar))));
            y += BAR + GAP;
        }
        return y + GAP;
    }

    private static double rate(Summary summary) {
        return summary.value(Metric.RATE).orElse(0.0);
    }

    private static String text(int x, int y, String attributes, String content) {
        return "<text x=\"" + x + "\" y=\"" + y + "\" " + attributes + ">"
                + content.replace("&", "&amp;").replace("<", "&lt;") + "</text>";
    }
}
