package outbox.samples.demo;

import java.util.Map;

/** The tallies of all chapters and their sum. */
final class ClosingTable {

    private static final String ROW = "%-10s %9s %9s %8s %8s %6s %5s %6s %5s";
    private static final String LEGEND = """
            committed  orders in the shop's table      delivered  of these, those that reached the warehouse
            retried    failed first, delivered later   replayed   were DEAD, delivered after the fix
            twice      repeated after the crash        lost       committed but never delivered
            ghosts     delivered but never committed   open       events not DONE at the end
            """;

    private final Map<String, Tally> tallies;

    ClosingTable(Map<String, Tally> tallies) {
        this.tallies = tallies;
    }

    void print(Printout out) {
        out.heading("Counted from the shop's tables, the outbox and the journal of deliveries");
        out.line(ROW, "", "committed", "delivered", "retried", "replayed", "twice", "lost", "ghosts", "open");
        tallies.forEach((chapter, tally) -> row(out, chapter, tally));
        row(out, "total", tallies.values().stream().reduce(Tally.NOTHING, Tally::plus));
        out.blank();
        LEGEND.lines().forEach(out::line);
    }

    private static void row(Printout out, String name, Tally tally) {
        out.line(
                ROW,
                name,
                tally.committed(),
                tally.delivered(),
                tally.retried(),
                tally.replayed(),
                tally.twice(),
                tally.lost(),
                tally.ghosts(),
                tally.open());
    }
}
