package outbox.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import outbox.testservers.processes.CommandLine;
import outbox.testservers.processes.ProcessEnd;

/** What the tests do with processes. */
final class Processes {

    private Processes() {}

    static ProcessHandle readPid(String file) {
        try {
            return ProcessHandle.of(
                            Long.parseLong(Files.readString(Path.of(file)).strip()))
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void awaitGone(ProcessHandle process) {
        if (!ProcessEnd.await(List.of(process), Duration.ofSeconds(90))) {
            throw new AssertionError("still there: " + CommandLine.of(process));
        }
    }

    /** A process that does nothing but live, at most as long as this JVM, which holds the other end of its input. */
    static Process startIdle() throws IOException {
        return new ProcessBuilder("cat").start();
    }

    /** Those whose command line contains the text. */
    static List<ProcessHandle> mentioning(String text) {
        return ProcessHandle.allProcesses()
                .filter(process -> CommandLine.of(process).contains(text))
                .toList();
    }
}
