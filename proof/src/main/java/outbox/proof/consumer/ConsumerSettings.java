package outbox.proof.consumer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import outbox.proof.process.ProcessSettings;

/**
 * What a consumer is started with.
 *
 * @param port where it listens, which is the same for the one that takes its place
 * @param lockTtl how long its leases last, if it has any
 */
public record ConsumerSettings(ProcessSettings process, int port, Consuming consuming, Duration lockTtl) {

    /** Writes them to a file, which {@link #read} understands. */
    public Path write() throws IOException {
        return process.write(
                Map.of("port", Integer.toString(port), "consuming", consuming.name(), "lockTtl", lockTtl.toString()));
    }

    static ConsumerSettings read(Path file) throws IOException {
        Properties all = ProcessSettings.read(file);
        return new ConsumerSettings(
                ProcessSettings.of(all),
                Integer.parseInt(all.getProperty("port")),
                Consuming.valueOf(all.getProperty("consuming")),
                Duration.parse(all.getProperty("lockTtl")));
    }
}
