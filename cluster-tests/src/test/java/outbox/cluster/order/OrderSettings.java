package outbox.cluster.order;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a node is started with.
 *
 * @param directory shared by all nodes: the journal, the marks of failed and of cured events and the logs
 * @param number which of the processes it is, counted from the first start on
 */
record OrderSettings(
        String jdbcUrl, String user, String password, Path directory, Duration lease, long seed, int number) {

    OrderSettings withNumber(int other) {
        return new OrderSettings(jdbcUrl, user, password, directory, lease, seed, other);
    }

    Path journal() {
        return directory.resolve("journal");
    }

    /** Is there once a person has cured the event. */
    Path cure(String eventId) {
        return directory.resolve("cured-" + eventId);
    }

    /** Is there once the event has failed so often. */
    Path failure(String eventId, int count) {
        return directory.resolve("failed-" + eventId + "-" + count);
    }

    Path log() {
        return directory.resolve("log-" + number);
    }

    /** The name of the node in the journal. */
    String node(long pid) {
        return number + "@" + pid;
    }

    static OrderSettings parse(String[] arguments) {
        return new OrderSettings(
                arguments[0],
                arguments[1],
                arguments[2],
                Path.of(arguments[3]),
                Duration.parse(arguments[4]),
                Long.parseLong(arguments[5]),
                Integer.parseInt(arguments[6]));
    }

    List<String> arguments() {
        return List.of(
                jdbcUrl,
                user,
                password,
                directory.toString(),
                lease.toString(),
                Long.toString(seed),
                Integer.toString(number));
    }
}
