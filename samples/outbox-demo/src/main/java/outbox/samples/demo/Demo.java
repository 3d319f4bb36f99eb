package outbox.samples.demo;

import java.io.PrintStream;
import java.util.List;

/** Runs the demo: {@code ./outbox demo}. */
public final class Demo {

    static final int KEPT = 0;
    static final int BROKEN = 1;
    static final int BAD_USAGE = 2;

    private static final String USAGE = """
            Usage: outbox demo [--help]

            Plays six short chapters of a small shop on an embedded database, then counts from
            its tables whether every committed order was delivered.

            Exit code: 0 all promises kept, 1 a promise broken, 2 bad arguments.
            Colours are used on a terminal unless NO_COLOR is set.
            """;

    private Demo() {}

    /** Runs the demo and exits with its exit code. */
    public static void main(String[] args) throws Exception {
        System.exit(run(args, System.out, System.err));
    }

    static int run(String[] args, PrintStream out, PrintStream err) throws Exception {
        List<String> arguments = List.of(args);
        if (arguments.equals(List.of("--help")) || arguments.equals(List.of("-h"))) {
            out.print(USAGE);
            return KEPT;
        }
        if (!arguments.isEmpty()) {
            err.println("Unknown arguments: " + String.join(" ", arguments));
            err.print(USAGE);
            return BAD_USAGE;
        }
        return play(Programme.chapters(), Printout.on(out));
    }

    /** Plays the chapters; if a promise is broken, the log and the files are kept and their place is told. */
    static int play(List<Chapter> chapters, Printout out) throws Exception {
        try (WorkDirectory workDirectory = WorkDirectory.create();
                LogFile log = LogFile.in(workDirectory.path())) {
            Programme programme = new Programme(chapters, workDirectory.path(), out);
            if (programme.play().isEmpty()) {
                return KEPT;
            }
            workDirectory.keep();
            out.line("Log: " + log.path());
            return BROKEN;
        }
    }
}
