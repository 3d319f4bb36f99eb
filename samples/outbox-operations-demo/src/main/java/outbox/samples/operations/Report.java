package outbox.samples.operations;

import java.io.PrintStream;
import java.util.Locale;

/** Tells the story, and remembers whether its promises were kept. */
final class Report {

    private final PrintStream out;
    private final long start = System.nanoTime();
    private int chapters;
    private int broken;

    Report(PrintStream out) {
        this.out = out;
    }

    void chapter(String title) {
        chapters++;
        out.println();
        out.println(chapters + ". " + title);
    }

    void tell(String format, Object... values) {
        out.println("   " + String.format(Locale.ROOT, format, values));
    }

    /** A number that must be as promised. */
    void promise(long promised, long counted, String what) {
        tell("%-58s %4d   %s", what, counted, promised == counted ? "ok" : "BROKEN, promised " + promised);
        broken += promised == counted ? 0 : 1;
    }

    void broke(Exception problem) {
        tell(
                "BROKEN: %s",
                problem instanceof BrokenPromise ? String.valueOf(problem.getMessage()) : problem.toString());
        broken++;
    }

    /** Prints the verdict and returns whether all promises were kept. */
    boolean conclude() {
        out.println();
        double seconds = (System.nanoTime() - start) / 1e9;
        out.println(
                broken == 0
                        ? String.format(Locale.ROOT, "All promises kept, in %.1f s.", seconds)
                        : broken + " promise(s) broken.");
        return broken == 0;
    }
}
