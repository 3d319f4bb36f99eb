package outbox.testservers.processes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The command line of another process. */
public final class CommandLine {

    private CommandLine() {}

    /** The whole line, which Java's own view of a process cuts off when long; empty if it cannot be read. */
    public static String of(ProcessHandle process) {
        try {
            byte[] line = Files.readAllBytes(Path.of("/proc", String.valueOf(process.pid()), "cmdline"));
            return new String(line, StandardCharsets.UTF_8).replace('\0', ' ').strip();
        } catch (IOException e) {
            return process.info().commandLine().orElse("");
        }
    }
}
