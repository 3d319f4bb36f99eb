package outbox.dispatch;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * The events whose calls were given up and have not ended: neither they nor others of their keys may be delivered here meanwhile, or a listener
 * that comes back late would work on both. A call may come back while it is being given up: then its end may be told first. Thread-safe.
 */
final class StillRunning {

    /** How many calls there are for each; less than none if an end was told first. */
    private final Map<String, Integer> events = new HashMap<>();

    private final Map<AggregateKey, Integer> keys = new HashMap<>();

    /** Whether there are any: most often there are none. */
    private volatile boolean some;

    void add(String eventId, @Nullable AggregateKey key) {
        change(eventId, key, 1);
    }

    void remove(String eventId, @Nullable AggregateKey key) {
        change(eventId, key, -1);
    }

    private synchronized void change(String eventId, @Nullable AggregateKey key, int by) {
        change(events, eventId, by);
        if (key != null) {
            change(keys, key, by);
        }
        some = !events.isEmpty();
    }

    private static <K> void change(Map<K, Integer> calls, K of, int by) {
        int now = calls.getOrDefault(of, 0) + by;
        if (now == 0) {
            calls.remove(of);
        } else {
            calls.put(of, now);
        }
    }

    /** Whether the event must not be delivered now. */
    boolean keeps(String eventId, @Nullable AggregateKey key) {
        return some && isKept(eventId, key);
    }

    private synchronized boolean isKept(String eventId, @Nullable AggregateKey key) {
        return events.getOrDefault(eventId, 0) > 0 || (key != null && keys.getOrDefault(key, 0) > 0);
    }
}
