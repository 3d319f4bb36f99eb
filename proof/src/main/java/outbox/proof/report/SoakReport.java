package outbox.proof.report;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import outbox.proof.run.Sample;
import outbox.proof.run.SoakResult;

/** Small charts of what nodes held. */
public final class SoakReport {

    private static final String BARS = "▁▂▃▄▅▆▇█";
    private static final int WIDTH = 60;

    private final SoakResult result;

    /** Reports that. */
    public SoakReport(SoakResult result) {
        this.result = result;
    }

    /** As text, for a terminal and for Markdown. */
    public String text() {
        StringBuilder text = new StringBuilder("```\n");
        chart(text, "memory after a collection, MB", sample -> sample.kilobytes() / 1024.0);
        chart(text, "threads", Sample::threads);
        chart(text, "connections", Sample::connections);
        chart(text, "events in flight", Sample::inFlight);
        text.append("```\n")
                .append(result.committed())
                .append(" events committed, ")
                .append(result.verdict().violations().size())
                .append(" violations, ")
                .append(result.growth().isEmpty() ? "nothing grew" : String.join("; ", result.growth()))
                .append(".\n");
        return result.verdict().isGood()
                ? text.toString()
                : text.append(result.verdict().describe()).append('\n').toString();
    }

    private void chart(StringBuilder text, String title, ToDoubleFunction<Sample> value) {
        double top = result.samples().values().stream()
                .flatMap(List::stream)
                .mapToDouble(value)
                .max()
                .orElse(0);
        text.append(String.format(Locale.ROOT, "%s (full height: %.1f)%n", title, top));
        result.samples().forEach((node, samples) -> {
            text.append(String.format(Locale.ROOT, "  %-10s ", node));
            for (int i = 0; i < WIDTH && i < samples.size(); i++) {
                Sample sample = samples.get(i * samples.size() / Math.min(WIDTH, samples.size()));
                double height = top == 0 ? 0 : value.applyAsDouble(sample) / top;
                text.append(BARS.charAt((int) Math.round(height * (BARS.length() - 1))));
            }
            Sample last = samples.get(samples.size() - 1);
            text.append(String.format(Locale.ROOT, " %.1f%n", value.applyAsDouble(last)));
        });
    }
}
