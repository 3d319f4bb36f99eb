package outbox.samples.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/** What the reader sees: headings, short lines, and colours where they are welcome. */
final class Printout {

    private static final String BOLD = "1";
    private static final String GREEN = "32";
    private static final String RED = "31";

    private final PrintStream out;
    private final boolean colours;

    private Printout(PrintStream out, boolean colours) {
        this.out = out;
        this.colours = colours;
    }

    static Printout on(PrintStream out) {
        return new Printout(out, out == System.out && isTerminal() && wantsColours(System.getenv()));
    }

    /** Since Java 22 another console is the default, which is there even when the output goes to a file. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        System.setProperty("jdk.console", "java.base");
        return System.console() != null;
    }

    private static boolean wantsColours(Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty() && !"dumb".equals(environment.get("TERM"));
    }

    void heading(String text) {
        out.println();
        out.println(coloured(BOLD, text));
    }

    void line(String text) {
        out.println("   " + text);
    }

    void line(String format, Object... values) {
        line(String.format(Locale.ROOT, format, values));
    }

    void good(String text) {
        out.println(coloured(GREEN, text));
    }

    void bad(String text) {
        out.println(coloured(RED, text));
    }

    void blank() {
        out.println();
    }

    private String coloured(String colour, String text) {
        return colours ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
    }
}
