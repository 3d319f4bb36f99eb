package outbox.proof.process;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import outbox.testservers.TestDatabase;

/**
 * What every process is started with.
 *
 * @param name of the process
 * @param directory where it writes
 * @param database how it gets there
 * @param sessionSettings a statement that each of its connections begins with
 */
public record ProcessSettings(String name, Path directory, TestDatabase database, String sessionSettings) {

    /** Where it writes down its deliveries, if it does. */
    public Path journal() {
        return directory.resolve(name + ".journal");
    }

    /** Where its error output goes. */
    public Path log() {
        return directory.resolve(name + ".log");
    }

    /** Is there once the event has failed so often; processes share the directory, so that they share the count. */
    Path failure(String eventId, int count) {
        return directory.resolve("failed-" + eventId + "-" + count);
    }

    Path cure(String eventId) {
        return cure(directory, eventId);
    }

    /** Is there once a person has cured what the event lacked. */
    public static Path cure(Path directory, String eventId) {
        return directory.resolve("cured-" + eventId);
    }

    /** Writes them to a file, together with more of a process' own. */
    public Path write(Map<String, String> more) throws IOException {
        Properties all = new Properties();
        all.setProperty("name", name);
        all.setProperty("directory", directory.toString());
        all.setProperty("url", database.jdbcUrl());
        all.setProperty("user", database.user());
        all.setProperty("password", database.password());
        all.setProperty("session", sessionSettings);
        all.putAll(more);
        Path file = directory.resolve(name + ".properties");
        try (Writer out = Files.newBufferedWriter(file)) {
            all.store(out, null);
        }
        return file;
    }

    /** All that is in such a file. */
    public static Properties read(Path file) throws IOException {
        Properties all = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            all.load(in);
        }
        return all;
    }

    /** Those that every process has. */
    public static ProcessSettings of(Properties all) {
        return new ProcessSettings(
                all.getProperty("name"),
                Path.of(all.getProperty("directory")),
                new TestDatabase(all.getProperty("url"), all.getProperty("user"), all.getProperty("password")),
                all.getProperty("session"));
    }
}
