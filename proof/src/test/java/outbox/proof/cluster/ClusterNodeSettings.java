package outbox.proof.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import outbox.testservers.TestDatabase;

/**
 * What a node is started with.
 *
 * @param directory for what it writes down
 * @param lease after which its claims expire
 * @param clockOffset how far its clock is ahead
 * @param singleActive whether it delivers only while no other node does
 */
record ClusterNodeSettings(
        TestDatabase database, Path directory, Duration lease, Duration clockOffset, boolean singleActive) {

    ClusterNodeSettings(TestDatabase database, Path directory, Duration lease) {
        this(database, directory, lease, Duration.ZERO, false);
    }

    /** Reaches its database in another way, for instance through a proxy. */
    ClusterNodeSettings through(TestDatabase other) {
        return new ClusterNodeSettings(other, directory, lease, clockOffset, singleActive);
    }

    ClusterNodeSettings withLease(Duration other) {
        return new ClusterNodeSettings(database, directory, other, clockOffset, singleActive);
    }

    ClusterNodeSettings withClockAhead(Duration offset) {
        return new ClusterNodeSettings(database, directory, lease, offset, singleActive);
    }

    ClusterNodeSettings asSingleActive() {
        return new ClusterNodeSettings(database, directory, lease, clockOffset, true);
    }

    /** What it has delivered. */
    Path deliveries() {
        return directory.resolve("deliveries");
    }

    /** When it asked whether it is the active one, and what it was told. */
    Path activity() {
        return directory.resolve("activity");
    }

    Path log() {
        return directory.resolve("log");
    }

    static ClusterNodeSettings parse(String[] arguments) {
        return new ClusterNodeSettings(
                new TestDatabase(arguments[0], arguments[1], arguments[2]),
                Path.of(arguments[3]),
                Duration.parse(arguments[4]),
                Duration.parse(arguments[5]),
                Boolean.parseBoolean(arguments[6]));
    }

    List<String> arguments() {
        return List.of(
                database.jdbcUrl(),
                database.user(),
                database.password(),
                directory.toString(),
                lease.toString(),
                clockOffset.toString(),
                Boolean.toString(singleActive));
    }
}
