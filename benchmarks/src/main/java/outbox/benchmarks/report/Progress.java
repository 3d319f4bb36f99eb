package outbox.benchmarks.report;

import java.util.Locale;

/** Says on the error output what goes on, so that standard output has nothing but the results. */
public final class Progress {

    private static final long BEGIN = System.nanoTime();

    private Progress() {}

    /** Something to look at while waiting. */
    public static void say(String message) {
        System.err.printf(Locale.ROOT, "%5.1f s  %s%n", (System.nanoTime() - BEGIN) / 1e9, message);
    }

    /** Something that went wrong without ending the run. */
    public static void problem(String message, Throwable cause) {
        System.err.println("bench: " + message + ": " + cause);
        for (Throwable e = cause.getCause(); e != null; e = e.getCause()) {
            System.err.println("  because " + e);
        }
    }
}
