package outbox.testservers.processes;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An external program to be run.
 *
 * @param line the program and its arguments
 * @param environment variables added to those of this process
 * @param input the file it reads as its standard input
 */
public record Command(List<String> line, Map<String, String> environment, Path input) {

    private static final Path NOTHING = Path.of("/dev/null");

    public Command {
        line = List.copyOf(line);
        environment = Map.copyOf(environment);
    }

    public Command(List<String> line) {
        this(line, Map.of(), NOTHING);
    }

    public Command withEnvironment(Map<String, String> added) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(added);
        return new Command(line, all, input);
    }

    public Command withInput(Path file) {
        return new Command(line, environment, file);
    }

    String program() {
        return line.get(0);
    }

    /** A builder whose process shares no stream with this JVM, so that it can outlive it. */
    ProcessBuilder builder(Path log) {
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectInput(input.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        return builder;
    }

    /** Runs to the end; a program that cannot be run or does not end in time counts as failed. */
    public Outcome run(Duration timeout) {
        return runIn(Path.of("").toAbsolutePath(), timeout);
    }

    public Outcome runIn(Path directory, Duration timeout) {
        try {
            Path output = Files.createTempFile("outbox-command", ".log");
            try {
                Process process = builder(output)
                        .directory(new File(directory.toString()))
                        .start();
                if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                    return new Outcome(-1, program() + " did not end within " + timeout.toSeconds() + " s");
                }
                return new Outcome(process.exitValue(), Files.readString(output));
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException e) {
            return new Outcome(-1, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TestServerException("interrupted while running " + program(), e);
        }
    }

    /** How a program ended: 0 is success; the output has both of its streams. */
    public record Outcome(int exitCode, String output) {

        public boolean succeeded() {
            return exitCode == 0;
        }
    }
}
