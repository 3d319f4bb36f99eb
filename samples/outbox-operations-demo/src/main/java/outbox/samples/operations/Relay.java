package outbox.samples.operations;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import outbox.samples.operations.Deliveries.Delivery;

/** A {@link RelayProcess} as this process sees it. */
final class Relay implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 30;

    private final String name;
    private final Process process;
    private final Path log;
    private final Deliveries deliveries;
    private final CountDownLatch readyOrEnded = new CountDownLatch(1);
    private volatile boolean ready;
    private final List<String> numbers = new CopyOnWriteArrayList<>();
    private final Thread reader;

    private Relay(String name, Process process, Path log, Deliveries deliveries) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.deliveries = deliveries;
        this.reader = new Thread(this::read, name);
    }

    /** Starts a process with the given variables in its environment; its log goes to a file in the directory. */
    static Relay start(
            String name, Path directory, Map<String, String> environment, String fatefulOrder, Deliveries deliveries)
            throws IOException {
        Path log = directory.resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RelayProcess.class.getName(),
                        fatefulOrder)
                .redirectError(log.toFile());
        // Switches of the reader's own shell would change the story.
        builder.environment().keySet().removeIf(variable -> variable.startsWith("OUTBOX_"));
        builder.environment().putAll(environment);
        Relay relay = new Relay(name, builder.start(), log, deliveries);
        relay.reader.start();
        return relay;
    }

    String name() {
        return name;
    }

    void awaitReady() throws InterruptedException {
        if (!readyOrEnded.await(PATIENCE_SECONDS, TimeUnit.SECONDS) || !ready) {
            throw new BrokenPromise(name + " did not start; its log is " + log);
        }
    }

    /** Ends the process at once, without a word to it. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        reader.join();
    }

    /** Ends the process in good order and returns its numbers. */
    List<String> stop() throws Exception {
        process.getOutputStream().close();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new BrokenPromise(name + " did not end; its log is " + log);
        }
        reader.join();
        return List.copyOf(numbers);
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines().forEach(this::heard);
        } catch (IOException | UncheckedIOException e) {
            // The process was killed.
        } finally {
            readyOrEnded.countDown();
        }
    }

    private void heard(String line) {
        if (line.equals(RelayProcess.READY)) {
            ready = true;
            readyOrEnded.countDown();
        } else if (line.startsWith(RelayProcess.DELIVERED)) {
            String[] words = line.substring(RelayProcess.DELIVERED.length()).split(" ", 2);
            deliveries.add(new Delivery(name, words[0], words[1]));
        } else if (line.startsWith(RelayProcess.NUMBER)) {
            numbers.add(line.substring(RelayProcess.NUMBER.length()));
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
