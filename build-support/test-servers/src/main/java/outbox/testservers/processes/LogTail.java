package outbox.testservers.processes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The end of a log, which usually says why a program failed. */
public final class LogTail {

    private static final int LINES = 40;

    private LogTail() {}

    public static String of(Path log) {
        try {
            // Not every server writes UTF-8; ISO-8859-1 decodes any byte.
            return "The last lines of " + log + ":\n" + of(Files.readString(log, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return "Its log " + log + " cannot be read: " + e;
        }
    }

    public static String of(String output) {
        List<String> lines = output.lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
    }
}
