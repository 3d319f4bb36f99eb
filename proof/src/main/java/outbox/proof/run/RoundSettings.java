package outbox.proof.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.OutboxDispatcher;
import outbox.proof.consumer.Consuming;
import outbox.proof.fault.FaultKind;
import outbox.proof.node.Configuration;

/**
 * What a round is like.
 *
 * @param directory where processes write; new for each round
 * @param load how long there is load and faults
 * @param lease for how long an event belongs to a process that says nothing more
 * @param outboxes how each outbox is used, by its table
 * @param consumed the one whose events go to consumers
 * @param consuming how consumers handle them
 * @param eventsPerSecond how much is written, on average, by all nodes together
 * @param older an older program that is one of the nodes; null if all are of today
 * @param random where everything random comes from, but for what the machine adds
 */
public record RoundSettings(
        Path directory,
        Duration load,
        Duration lease,
        Map<String, Configuration> outboxes,
        String consumed,
        Consuming consuming,
        int eventsPerSecond,
        @Nullable OlderNode older,
        Random random) {

    /** An older program, and the slot that it runs in. */
    public record OlderNode(Older program, int slot) {}

    static final int NODES = 3;
    static final int CONSUMERS = 2;

    /** Long enough for a process that is only slow, short enough to see leases run out. */
    public static final Duration SHORT_LEASE = Duration.ofSeconds(5);

    /** Not lost by a process that only has to wait for its turn on a busy machine. */
    static final Duration LONG_LEASE = Duration.ofSeconds(30);

    /** With nodes of today. */
    public RoundSettings(
            Path directory,
            Duration load,
            Duration lease,
            Map<String, Configuration> outboxes,
            String consumed,
            Consuming consuming,
            int eventsPerSecond,
            Random random) {
        this(directory, load, lease, outboxes, consumed, consuming, eventsPerSecond, null, random);
    }

    /** Fails at once where an outbox is named that is not there. */
    public RoundSettings {
        if (!outboxes.containsKey(consumed)) {
            throw new IllegalArgumentException("consumed must be one of " + outboxes.keySet() + ", was " + consumed);
        }
    }

    /** The outboxes in which accounts may have to wait for a person. */
    Set<String> holding() {
        return outboxes.entrySet().stream()
                .filter(outbox -> outbox.getValue().holdsKeys())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Whether that can be done in this round. */
    boolean bears(FaultKind kind) {
        if (kind == FaultKind.HELD_BACKLOG && holding().isEmpty()) {
            return false;
        }
        return older == null || older.program().bears(kind);
    }

    /** The program in that slot, if it is an older one. */
    @Nullable
    Older olderIn(int slot) {
        return older != null && older.slot() == slot ? older.program() : null;
    }

    /** The commit of the older program, if there is one. */
    @Nullable
    String commitBeside() {
        return older == null ? null : older.program().commit();
    }

    /** After how many failures an event is dead. */
    int maxAttempts() {
        return older == null ? OutboxDispatcher.DEFAULT_MAX_ATTEMPTS : Older.MAX_ATTEMPTS;
    }

    /** Tables of the first version keep no order; where none is asked for they serve, until they are migrated in mid-flight. */
    boolean canBeginWithFirstVersion() {
        return outboxes.values().stream().noneMatch(Configuration::isOrdered);
    }
}
