package outbox.proof.report;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import outbox.proof.database.DatabaseKind;
import outbox.proof.fault.FaultKind;
import outbox.proof.history.Violation;
import outbox.proof.run.RoundResult;

/** A table of rounds, and one of faults. */
public final class ProofReport {

    private static final String HEAD = """
            | round | outboxes | faults | committed | rolled back | delivered | lost | invented | out of order | altered | unheard | stalled | repeated by a fault | without | effects | missing | repeated | other | without progress |
            |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
            """;

    private final String command;
    private final Map<DatabaseKind, List<RoundResult>> results;

    /** Reports the rounds on each database; the command is what to run for the same again. */
    public ProofReport(String command, Map<DatabaseKind, List<RoundResult>> results) {
        this.command = command;
        this.results = results;
    }

    /** As Markdown. */
    public String markdown() {
        StringBuilder text = new StringBuilder("`" + command + "`\n\n").append(HEAD);
        results.forEach((kind, rounds) -> {
            for (int i = 0; i < rounds.size(); i++) {
                text.append(row(kind.label() + " " + (i + 1), outboxes(rounds.get(i)), List.of(rounds.get(i))));
            }
            text.append(row("**" + kind.label() + "**", "", rounds));
        });
        return text.append("\nFaults: ").append(faults()).append(".\n").toString();
    }

    /** The totals alone, one line for each database. */
    public String markdownOfTotals() {
        StringBuilder text = new StringBuilder("`" + command + "`\n\n").append(HEAD);
        results.forEach((kind, rounds) -> text.append(row(kind.label(), rounds.size() + " rounds", rounds)));
        return text.append("\nFaults: ").append(faults()).append(".\n").toString();
    }

    private static String row(String name, String outboxes, List<RoundResult> rounds) {
        Totals totals = new Totals(rounds);
        return "| " + name + " | " + outboxes + " | " + number(totals.faults()) + " | " + number(totals.committed())
                + " | " + number(totals.rolledBack()) + " | " + number(totals.deliveries()) + " | "
                + number(totals.count(Violation.Kind.LOST)) + " | " + number(totals.count(Violation.Kind.INVENTED))
                + " | " + number(totals.count(Violation.Kind.OUT_OF_ORDER)) + " | "
                + number(totals.count(Violation.Kind.ALTERED)) + " | "
                + unheard(totals, "not checked") + " | "
                + number(totals.count(Violation.Kind.STALLED)) + " | " + number(totals.explainedRepeats()) + " | "
                + number(totals.count(Violation.Kind.REPEATED)) + " | " + number(totals.effects()) + " | "
                + number(totals.count(Violation.Kind.EFFECT_MISSING)) + " | "
                + number(totals.count(Violation.Kind.EFFECT_REPEATED)) + " | " + number(totals.others()) + " | "
                + String.format(Locale.ROOT, "%.1f s", totals.withoutProgress().toMillis() / 1000.0) + " |\n";
    }

    /** Older nodes make events dead that nobody has heard, so it is not checked beside them. */
    private static String unheard(Totals totals, String otherwise) {
        return totals.isBesideOlder() ? otherwise : Long.toString(totals.count(Violation.Kind.UNHEARD));
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String outboxes(RoundResult round) {
        return round.outboxes().entrySet().stream()
                .map(outbox -> words(outbox.getValue())
                        + (outbox.getKey().equals(round.consumed())
                                ? " (consumed, " + words(round.consuming()) + ")"
                                : ""))
                .collect(Collectors.joining(" + "));
    }

    private static String words(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private String faults() {
        Map<FaultKind, Integer> sums = new EnumMap<>(FaultKind.class);
        results.values().stream()
                .flatMap(List::stream)
                .forEach(round -> round.faults().forEach((kind, count) -> sums.merge(kind, count, Integer::sum)));
        return sums.entrySet().stream()
                .map(entry -> entry.getKey().label() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    /** As JSON. */
    public String json() {
        String rounds = results.values().stream()
                .flatMap(List::stream)
                .map(ProofReport::json)
                .collect(Collectors.joining(",\n    "));
        return "{\n  \"command\": \"" + command + "\",\n  \"rounds\": [\n    " + rounds + "\n  ]\n}\n";
    }

    private static String json(RoundResult round) {
        Totals totals = new Totals(List.of(round));
        String faults = round.faults().entrySet().stream()
                .map(entry -> "\"" + entry.getKey().label() + "\": " + entry.getValue())
                .collect(Collectors.joining(", "));
        return "{\"database\": \"" + round.database().label() + "\", \"outboxes\": \"" + outboxes(round)
                + "\", \"faults\": {" + faults + "}, \"committed\": " + totals.committed() + ", \"rolledBack\": "
                + totals.rolledBack() + ", \"deliveries\": " + totals.deliveries() + ", \"lost\": "
                + totals.count(Violation.Kind.LOST) + ", \"invented\": " + totals.count(Violation.Kind.INVENTED)
                + ", \"outOfOrder\": " + totals.count(Violation.Kind.OUT_OF_ORDER) + ", \"altered\": "
                + totals.count(Violation.Kind.ALTERED) + ", \"unheard\": "
                + unheard(totals, "null") + ", \"stalled\": "
                + totals.count(Violation.Kind.STALLED) + ", \"repeatedByFault\": " + totals.explainedRepeats()
                + ", \"repeatedWithoutFault\": " + totals.count(Violation.Kind.REPEATED) + ", \"effects\": "
                + totals.effects()
                + ", \"effectsMissing\": " + totals.count(Violation.Kind.EFFECT_MISSING) + ", \"effectsRepeated\": "
                + totals.count(Violation.Kind.EFFECT_REPEATED) + ", \"otherViolations\": "
                + totals.others() + ", \"longestQueueBehindDead\": "
                + round.decisions().longestQueue() + ", \"withoutProgressMillis\": "
                + totals.withoutProgress().toMillis() + ", \"seconds\": "
                + round.took().toSeconds() + "}";
    }
}
