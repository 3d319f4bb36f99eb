package outbox.dispatch;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * The events whose calls were given up and have not ended: neither they nor others of their keys may be delivered here meanwhile, or a listener
 * that comes back late would work on both. Thread-safe.
 */
final class StillRunning {

    private final Set<String> events = new HashSet<>();
    private final Map<AggregateKey, Integer> keys = new HashMap<>();

    /** Whether there are any: most often there are none. */
    private volatile boolean some;

    synchronized void add(String eventId, @Nullable AggregateKey key) {
        events.add(eventId);
        if (key != null) {
            keys.merge(key, 1, Integer::sum);
        }
        some = true;
    }

    synchronized void remove(String eventId, @Nullable AggregateKey key) {
        events.remove(eventId);
        if (key != null) {
            keys.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
        }
        some = !events.isEmpty();
    }

    /** Whether the event must not be delivered now. */
    boolean keeps(String eventId, @Nullable AggregateKey key) {
        return some && isKept(eventId, key);
    }

    private synchronized boolean isKept(String eventId, @Nullable AggregateKey key) {
        return events.contains(eventId) || (key != null && keys.containsKey(key));
    }
}
