package outbox.samples.multids;

import java.io.PrintStream;
import java.util.Locale;

/** Prints what was counted, and remembers whether it is what was promised. */
final class Report {

    private final PrintStream out;
    private int broken;

    Report(PrintStream out) {
        this.out = out;
    }

    void heading(String text) {
        out.println();
        out.println(text);
    }

    void expect(long promised, long counted, String what) {
        boolean kept = promised == counted;
        broken += kept ? 0 : 1;
        String verdict = kept ? "ok" : "BROKEN, promised " + promised;
        out.println(String.format(Locale.ROOT, "   %-58s %4d   %s", what, counted, verdict));
    }

    /** Prints the verdict and returns how many promises were broken. */
    int conclude() {
        out.println();
        out.println(broken == 0 ? "All promises kept." : broken + " promise(s) broken.");
        return broken;
    }
}
