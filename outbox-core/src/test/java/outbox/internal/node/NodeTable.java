package outbox.internal.node;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import outbox.model.NodeMode;
import outbox.model.OutboxNode;
import outbox.spi.LeaseStore;
import outbox.spi.MissingNodeTableException;
import outbox.testsupport.ManualClock;

/** A table of nodes in memory, with a clock that is moved by hand. */
final class NodeTable {

    final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    final List<String> statements = new ArrayList<>();
    boolean missing;
    boolean withoutMode;
    private final Map<String, OutboxNode> rows = new LinkedHashMap<>();

    /** The part of a store that works on this table. */
    LeaseStore store() {
        return (LeaseStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, args) -> {
                    String owner = (String) args[1];
                    statements.add(method.getName() + " " + owner);
                    if (missing) {
                        throw new MissingNodeTableException("Table \"t_node\" is missing", null);
                    }
                    return switch (method.getName()) {
                        case "heartbeat" -> seen(owner, (NodeMode) args[2]);
                        case "forgetNode" -> gone(owner);
                        case "neighbours" -> beside(owner, (Duration) args[2]);
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    private Instant now() {
        return clock.instant();
    }

    Object seen(String owner, NodeMode mode) {
        rows.put(owner, new OutboxNode(owner, now(), now(), 0, 0, withoutMode ? null : mode));
        return null;
    }

    private Object gone(String owner) {
        rows.remove(owner);
        return null;
    }

    private List<OutboxNode> beside(String owner, Duration silentFor) {
        return rows.values().stream()
                .filter(node -> !node.ownerId().equals(owner))
                .filter(node -> node.lastSeen().isAfter(now().minus(silentFor)))
                .toList();
    }

    List<String> owners() {
        return List.copyOf(rows.keySet());
    }

    List<String> taken() {
        List<String> all = List.copyOf(statements);
        statements.clear();
        return all;
    }
}
