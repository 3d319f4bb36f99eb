package outbox.proof.node;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import outbox.proof.process.ProcessSettings;

/**
 * What a node is started with.
 *
 * @param outboxes how each outbox is used, by its table
 * @param consumed the outbox whose events go to consumers
 * @param consumerPorts where these are
 * @param eventsPerSecond how much it writes, on average
 * @param maxAttempts after how many failures an event is dead
 */
public record NodeSettings(
        ProcessSettings process,
        Duration lease,
        Map<String, Configuration> outboxes,
        String consumed,
        List<Integer> consumerPorts,
        long seed,
        int eventsPerSecond,
        int maxAttempts) {

    private static final String OUTBOX = "outbox.";

    /** The outboxes in the order of their names. */
    public NodeSettings {
        outboxes = new TreeMap<>(outboxes);
    }

    /** Whether the events of that outbox go to consumers. */
    boolean isConsumed(String table) {
        return table.equals(consumed);
    }

    /** Writes them to a file, which {@link #read} understands. */
    public Path write() throws IOException {
        Map<String, String> more = new HashMap<>();
        more.put("lease", lease.toString());
        more.put("consumed", consumed);
        more.put("consumers", consumerPorts.stream().map(String::valueOf).collect(Collectors.joining(",")));
        more.put("seed", Long.toString(seed));
        more.put("rate", Integer.toString(eventsPerSecond));
        more.put("attempts", Integer.toString(maxAttempts));
        outboxes.forEach((table, configuration) -> more.put(OUTBOX + table, configuration.name()));
        return process.write(more);
    }

    static NodeSettings read(Path file) throws IOException {
        Properties all = ProcessSettings.read(file);
        Map<String, Configuration> outboxes = new TreeMap<>();
        for (String name : all.stringPropertyNames()) {
            if (name.startsWith(OUTBOX)) {
                outboxes.put(name.substring(OUTBOX.length()), Configuration.valueOf(all.getProperty(name)));
            }
        }
        return new NodeSettings(
                ProcessSettings.of(all),
                Duration.parse(all.getProperty("lease")),
                outboxes,
                all.getProperty("consumed"),
                Stream.of(all.getProperty("consumers").split(",", -1))
                        .map(Integer::valueOf)
                        .toList(),
                Long.parseLong(all.getProperty("seed")),
                Integer.parseInt(all.getProperty("rate")),
                Integer.parseInt(all.getProperty("attempts")));
    }
}
