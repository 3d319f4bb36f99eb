package outbox.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a node is started with.
 *
 * @param journal the file into which it writes what it delivers
 * @param lease after which its claims expire
 * @param clockOffset how far its clock is ahead
 */
record NodeSettings(String url, String user, String password, Path journal, Duration lease, Duration clockOffset) {

    static NodeSettings parse(String[] arguments) {
        return new NodeSettings(
                arguments[0],
                arguments[1],
                arguments[2],
                Path.of(arguments[3]),
                Duration.parse(arguments[4]),
                Duration.parse(arguments[5]));
    }

    List<String> arguments() {
        return List.of(url, user, password, journal.toString(), lease.toString(), clockOffset.toString());
    }
}
