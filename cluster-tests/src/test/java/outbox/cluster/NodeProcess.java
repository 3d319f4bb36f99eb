package outbox.cluster;

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

/** A running {@link NodeProgram}, seen from the test. */
final class NodeProcess implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final NodeSettings settings;
    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private boolean killed;

    private NodeProcess(NodeSettings settings, Process process) {
        this.settings = settings;
        this.process = process;
    }

    static NodeProcess start(NodeSettings settings) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                NodeProgram.class.getName()));
        command.addAll(settings.arguments());
        Process process = new ProcessBuilder(command)
                .redirectError(Path.of(settings.journal() + ".log").toFile())
                .start();
        NodeProcess node = new NodeProcess(settings, process);
        Thread reader = new Thread(node::readLines, "output of node " + process.pid());
        reader.setDaemon(true);
        reader.start();
        return node;
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
    }

    /** Waits for a line that begins so, and returns what follows. Other lines before it are dropped. */
    String await(String beginning) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new AssertionError("node " + process.pid() + " did not say '" + beginning + "' within "
                        + PATIENCE_SECONDS + " s; its log:\n" + log());
            }
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length()).trim();
            }
        }
    }

    void order(String order) throws IOException {
        OutputStream input = process.getOutputStream();
        input.write((order + "\n").getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        killed = true;
        process.destroyForcibly().waitFor();
    }

    /** SIGSTOP. */
    void pause() throws Exception {
        signal("STOP");
    }

    /** SIGCONT. */
    void resume() throws Exception {
        signal("CONT");
    }

    private void signal(String name) throws Exception {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
            throw new AssertionError("kill -" + name + " ended with " + exit);
        }
    }

    /** Ends it in good order. */
    void stop() throws IOException, InterruptedException {
        order("stop");
        await("stopped");
        process.waitFor();
    }

    /** Waits until it has died by itself. */
    void awaitDeath() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("node " + process.pid() + " lives");
        }
        killed = true;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether it did not end in good order. */
    boolean wasKilled() {
        return killed;
    }

    /** The ids of the events that it has delivered, in order. */
    List<String> deliveries() throws IOException {
        return Files.exists(settings.journal()) ? Files.readAllLines(settings.journal()) : List.of();
    }

    private String log() {
        try {
            List<String> all = Files.readAllLines(Path.of(settings.journal() + ".log"));
            return String.join("\n", all.subList(Math.max(0, all.size() - 40), all.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
