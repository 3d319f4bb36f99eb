package outbox.testservers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A program of the same class path in a JVM of its own: takes orders as lines of its input, and answers with lines of its output. */
public final class ChildJvm implements AutoCloseable {

    /** Enough to write the most that a test orders, on a busy machine. */
    private static final int PATIENCE_SECONDS = 300;

    private static final int LINES_OF_LOG_TO_SHOW = 40;

    private final Path log;
    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private volatile @Nullable Long endedAt;

    private ChildJvm(Path log, Process process) {
        this.log = log;
        this.process = process;
    }

    /** Starts a program with a heap of 256 MB, whose error output goes to a file. */
    public static ChildJvm start(Class<?> program, List<String> arguments, Path log) throws IOException {
        return start(program, "-Xmx256m", arguments, log);
    }

    /** As {@link #start(Class, List, Path)}, with another heap, given as an option of the JVM. */
    public static ChildJvm start(Class<?> program, String heap, List<String> arguments, Path log) throws IOException {
        return start(System.getProperty("java.class.path"), program, heap, arguments, log);
    }

    /** As {@link #start(Class, String, List, Path)}, with the program of that name on another class path. */
    public static ChildJvm start(String classPath, Class<?> program, String heap, List<String> arguments, Path log)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                heap,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                program.getName()));
        command.addAll(arguments);
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        ChildJvm child = new ChildJvm(log, process);
        Thread reader = new Thread(child::readLines, "output of process " + process.pid());
        reader.setDaemon(true);
        reader.start();
        return child;
    }

    private void readLines() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add("output failed: " + e);
        }
        endedAt = System.nanoTime();
    }

    /** Identifies the process. */
    public long pid() {
        return process.pid();
    }

    /** Whether it has not ended. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** When it ended, by the clock that only goes forward; now, if that is not known yet. */
    public long endedAt() {
        Long at = endedAt;
        return at == null ? System.nanoTime() : at;
    }

    /** Whether it has ended with that code. */
    public boolean hasEndedWith(int code) {
        return !isAlive() && process.exitValue() == code;
    }

    /** Waits for a line that begins so, and returns what follows. Other lines before it are dropped. */
    public String await(String beginning) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new AssertionError("process " + pid() + " did not say '" + beginning + "' within "
                        + PATIENCE_SECONDS + " s; its log:\n" + endOfLog());
            }
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length()).trim();
            }
        }
    }

    /** As {@link #await}, without waiting; null if there is no such line. */
    public @Nullable String poll(String beginning) {
        for (String line = lines.poll(); line != null; line = lines.poll()) {
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length()).trim();
            }
        }
        return null;
    }

    /** Whether it has said exactly that; other lines are left. */
    public boolean hasSaid(String line) {
        return lines.removeIf(line::equals);
    }

    /** Sends a line. */
    public void order(String order) throws IOException {
        OutputStream input = process.getOutputStream();
        input.write((order + "\n").getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    /** SIGKILL. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** SIGSTOP. */
    public void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** SIGCONT. */
    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
            throw new AssertionError("kill -" + name + " ended with " + exit);
        }
    }

    /** Waits until it has ended by itself. */
    public void awaitEnd() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("process " + pid() + " lives");
        }
    }

    private String endOfLog() {
        try {
            List<String> all = Files.readAllLines(log);
            return String.join("\n", all.subList(Math.max(0, all.size() - LINES_OF_LOG_TO_SHOW), all.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** As {@link #kill}, without waiting for the end. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
