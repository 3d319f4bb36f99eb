package outbox.proof.node;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import outbox.testservers.TestDatabase;

/**
 * What a node is started with.
 *
 * @param name of the process
 * @param directory where it writes
 * @param database how it gets there
 * @param sessionSettings a statement that each of its connections begins with
 * @param outboxes how each outbox is used, by its table
 * @param eventsPerSecond how much it writes, on average
 */
public record NodeSettings(
        String name,
        Path directory,
        TestDatabase database,
        String sessionSettings,
        Duration lease,
        Map<String, Configuration> outboxes,
        long seed,
        int eventsPerSecond) {

    private static final String OUTBOX = "outbox.";

    /** The outboxes in the order of their names. */
    public NodeSettings {
        outboxes = new TreeMap<>(outboxes);
    }

    /** Where it writes down its deliveries. */
    public Path journal() {
        return directory.resolve(name + ".journal");
    }

    /** Where its error output goes. */
    public Path log() {
        return directory.resolve(name + ".log");
    }

    /** Is there once the event has failed so often; nodes share the directory, so that they share the count. */
    Path failure(String eventId, int count) {
        return directory.resolve("failed-" + eventId + "-" + count);
    }

    /** Writes them to a file, which {@link #read} understands. */
    public Path write() throws IOException {
        Properties all = new Properties();
        all.setProperty("name", name);
        all.setProperty("directory", directory.toString());
        all.setProperty("url", database.jdbcUrl());
        all.setProperty("user", database.user());
        all.setProperty("password", database.password());
        all.setProperty("session", sessionSettings);
        all.setProperty("lease", lease.toString());
        all.setProperty("seed", Long.toString(seed));
        all.setProperty("rate", Integer.toString(eventsPerSecond));
        outboxes.forEach((table, configuration) -> all.setProperty(OUTBOX + table, configuration.name()));
        Path file = directory.resolve(name + ".properties");
        try (Writer out = Files.newBufferedWriter(file)) {
            all.store(out, null);
        }
        return file;
    }

    static NodeSettings read(Path file) throws IOException {
        Properties all = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            all.load(in);
        }
        Map<String, Configuration> outboxes = new TreeMap<>();
        for (String name : all.stringPropertyNames()) {
            if (name.startsWith(OUTBOX)) {
                outboxes.put(name.substring(OUTBOX.length()), Configuration.valueOf(all.getProperty(name)));
            }
        }
        return new NodeSettings(
                all.getProperty("name"),
                Path.of(all.getProperty("directory")),
                new TestDatabase(all.getProperty("url"), all.getProperty("user"), all.getProperty("password")),
                all.getProperty("session"),
                Duration.parse(all.getProperty("lease")),
                outboxes,
                Long.parseLong(all.getProperty("seed")),
                Integer.parseInt(all.getProperty("rate")));
    }
}
