package outbox.proof.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import outbox.proof.node.Configuration;

/**
 * What a round is like.
 *
 * @param directory where nodes write; new for each round
 * @param load how long there is load and faults
 * @param outboxes how each outbox is used, by its table
 * @param eventsPerSecond how much is written, on average, by all nodes together
 * @param random where everything random comes from, but for what the machine adds
 */
public record RoundSettings(
        Path directory, Duration load, Map<String, Configuration> outboxes, int eventsPerSecond, Random random) {

    static final int NODES = 3;

    /** Tables of the first version keep no order; where none is asked for they serve, until they are migrated in mid-flight. */
    boolean beginsWithFirstVersion() {
        return outboxes.values().stream()
                .noneMatch(configuration -> configuration.rules().ordered());
    }

    /** Long enough for a process that is only slow, short enough to see leases run out. */
    static final Duration LEASE = Duration.ofSeconds(3);
}
