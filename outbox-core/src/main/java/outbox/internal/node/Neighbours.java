package outbox.internal.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.model.NodeMode;
import outbox.model.OutboxNode;

/**
 * The processes beside this one with which it must not share the table: any at all if it is the single one, else those that take themselves for
 * the single one. One counts as living when its heartbeat was seen to go on: what a process that died left behind alarms nobody.
 *
 * <p>Written by one thread, read by any.
 */
final class Neighbours {

    /** Whoever was silent for so long has died, or can do no harm for now. A live node is silent for half of it at most. */
    static final Duration SILENT_AT_MOST = Duration.ofMinutes(1);

    private final NodeMode own;
    private Map<String, Instant> lastSeen = Map.of();
    private volatile Map<String, OutboxNode> living = Map.of();

    Neighbours(NodeMode own) {
        this.own = own;
    }

    /**
     * Takes in who was heard of lately.
     *
     * @return those that are living, as is now known, and were not before
     */
    List<OutboxNode> saw(List<OutboxNode> lately) {
        Map<String, Instant> seen = new TreeMap<>();
        Map<String, OutboxNode> goOn = new TreeMap<>();
        List<OutboxNode> news = new ArrayList<>();
        for (OutboxNode node : lately) {
            if (own != NodeMode.SINGLE_PROCESS && node.mode() != NodeMode.SINGLE_PROCESS) {
                continue;
            }
            Instant before = lastSeen.get(node.ownerId());
            boolean known = living.containsKey(node.ownerId());
            boolean lives = known || (before != null && before.isBefore(node.lastSeen()));
            seen.put(node.ownerId(), node.lastSeen());
            if (lives) {
                goOn.put(node.ownerId(), node);
            }
            if (lives && !known) {
                news.add(node);
            }
        }
        lastSeen = seen;
        living = goOn;
        return news;
    }

    /** Whether somebody is there who may be living, so that it is worth while to look again soon. */
    boolean areUnsettled() {
        return !lastSeen.isEmpty();
    }

    /** What is wrong, in words for an operator; null if nothing is. */
    @Nullable
    String problem() {
        Collection<OutboxNode> now = living.values();
        return now.isEmpty() ? null : problem(now);
    }

    String problem(Collection<OutboxNode> nodes) {
        String names = nodes.stream().map(Neighbours::name).collect(Collectors.joining(", "));
        return own == NodeMode.SINGLE_PROCESS
                ? "This process leases nothing (singleProcess()), and others deliver from the same table: " + names
                        + ". Events are delivered by each of them: leave out singleProcess() here, or end the others"
                : "Somebody delivers from the same table and leases nothing (singleProcess()): " + names
                        + ". Events are delivered here and there: leave out singleProcess() there, or end that process";
    }

    private static String name(OutboxNode node) {
        return node.ownerId() + " (" + (node.mode() == null ? "of an unknown mode" : node.mode()) + ")";
    }
}
