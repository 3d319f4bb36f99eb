package outbox.domain;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Reads the settings of a relay from configuration keys, which may have any prefix, such as {@code shop.outbox.}:
 *
 * <table>
 * <caption>Keys</caption>
 * <tr><th>key</th><th>default</th><th>meaning</th></tr>
 * <tr><td>{@value #FIXED_DELAY_MS}</td><td>1000</td><td>pause between two batches, in milliseconds</td></tr>
 * <tr><td>{@value #BATCH_SIZE}</td><td>100</td><td>events per batch</td></tr>
 * <tr><td>{@value #WORKER_ID}</td><td>{@value OutboxRelayService#DEFAULT_WORKER_ID}</td><td>names this process in its leases</td></tr>
 * <tr><td>{@value #LEASE_SECONDS}</td><td>30</td><td>how long claimed events are kept from other processes, in seconds</td></tr>
 * </table>
 *
 * <p>A blank value counts as not set. A key that begins with the prefix and {@code relay.} but is none of these is refused: a misspelt one would
 * leave something as it is that somebody believes to have changed.
 */
final class RelayConfiguration {

    static final String KEYS = "relay.";
    static final String FIXED_DELAY_MS = "relay.fixed-delay-ms";
    static final String BATCH_SIZE = "relay.batch-size";
    static final String WORKER_ID = "relay.worker-id";
    static final String LEASE_SECONDS = "relay.lease-seconds";

    private static final TreeSet<String> KNOWN =
            new TreeSet<>(List.of(FIXED_DELAY_MS, BATCH_SIZE, WORKER_ID, LEASE_SECONDS));

    private final Map<String, String> values;
    private final String prefix;

    RelayConfiguration(Map<String, String> values, String prefix) {
        this.values = Map.copyOf(values);
        this.prefix = prefix.isEmpty() || prefix.endsWith(".") ? prefix : prefix + ".";
        refuseUnknown();
    }

    private void refuseUnknown() {
        for (String name : new TreeSet<>(values.keySet())) {
            if (name.startsWith(prefix + KEYS) && !KNOWN.contains(name.substring(prefix.length()))) {
                throw new IllegalArgumentException("Configuration key " + name + " is unknown; the known ones are "
                        + KNOWN + (prefix.isEmpty() ? "" : ", each after " + prefix) + ": correct or remove it");
            }
        }
    }

    void applyTo(OutboxRelayService.Builder relay) {
        read(FIXED_DELAY_MS, text -> relay.interval(Duration.ofMillis(positive(text))));
        read(BATCH_SIZE, text -> relay.batchSize(positive(text)));
        read(WORKER_ID, relay::workerId);
        read(LEASE_SECONDS, text -> relay.lease(Duration.ofSeconds(positive(text))));
    }

    private void read(String key, Consumer<String> setting) {
        String value = values.get(prefix + key);
        if (value == null || value.isBlank()) {
            return;
        }
        try {
            setting.accept(value.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "Configuration key " + prefix + key + " must be a whole number from 1 to " + Integer.MAX_VALUE
                            + ", was \"" + value + "\": correct it, or remove it to use the default",
                    e);
        }
    }

    private static int positive(String text) {
        int value = Integer.parseInt(text);
        if (value < 1) {
            throw new NumberFormatException(text);
        }
        return value;
    }
}
