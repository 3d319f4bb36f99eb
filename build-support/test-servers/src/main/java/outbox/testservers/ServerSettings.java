package outbox.testservers;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * How to run one database server.
 *
 * @param directory holds the server's data and log; its data survive a stop or a kill
 * @param port where it listens on 127.0.0.1
 * @param durable whether a commit reaches the disk before it returns. If not, which is the default, committed data
 *     survive the server being killed, but not a crash of the machine
 * @param options the server's own settings, by the names it documents, added last
 */
public record ServerSettings(Path directory, int port, boolean durable, Map<String, String> options) {

    /** Copies the options and makes the directory absolute. */
    public ServerSettings {
        directory = directory.toAbsolutePath().normalize();
        options = Map.copyOf(options);
    }

    /** Settings for a server in the given directory, on a free port, not durable. */
    public static ServerSettings in(Path directory) {
        return new ServerSettings(directory, FreePort.find(), false, Map.of());
    }

    /** These settings with another port. */
    public ServerSettings withPort(int newPort) {
        return new ServerSettings(directory, newPort, durable, options);
    }

    /** These settings with durable commits, for crash tests and measurements. */
    public ServerSettings withDurability() {
        return new ServerSettings(directory, port, true, options);
    }

    /** These settings with one more of the server's own, such as {@code wal_level} and {@code logical}. */
    public ServerSettings withOption(String name, String value) {
        Map<String, String> more = new HashMap<>(options);
        more.put(name, value);
        return new ServerSettings(directory, port, durable, more);
    }

    Path data() {
        return directory.resolve("data");
    }

    Path log() {
        return directory.resolve("server.log");
    }
}
