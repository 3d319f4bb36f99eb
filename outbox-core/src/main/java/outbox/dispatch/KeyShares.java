package outbox.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * Keeps the events of a key that are here, or on their way here, to the share that a process may hold. An event has its place from before its
 * insert until it is in its lane, where it is counted on, or will not come. Thread-safe.
 */
final class KeyShares {

    private final ToIntFunction<AggregateKey> inLane;
    private final Map<String, AggregateKey> coming = new ConcurrentHashMap<>();
    private final Map<AggregateKey, Integer> counts = new HashMap<>();

    /** @param inLane how many events of a key are in their lane */
    KeyShares(ToIntFunction<AggregateKey> inLane) {
        this.inLane = inLane;
    }

    /**
     * Takes places for the first events of each key, as many as it has left, and returns those events in their order. Events that are not to come now, or
     * have no key, need no place.
     */
    List<EventEnvelope> take(List<EventEnvelope> batch) {
        Set<AggregateKey> full = new HashSet<>();
        List<EventEnvelope> first = new ArrayList<>(batch.size());
        for (EventEnvelope event : batch) {
            AggregateKey key = AggregateKey.of(event.aggregateType(), event.aggregateId());
            if (key == null || (!full.contains(key) && (event.isDelayed() || take(key, event.eventId())))) {
                first.add(event);
            } else {
                full.add(key); // nothing of the key may get before this one
            }
        }
        return first;
    }

    private synchronized boolean take(AggregateKey key, String eventId) {
        free(eventId); // one of the same id was rolled back: otherwise there would be no second insert
        int count = counts.getOrDefault(key, 0);
        if (count + inLane.applyAsInt(key) >= OrderedStore.LONGEST_LINE) {
            return false;
        }
        counts.put(key, count + 1);
        coming.put(eventId, key);
        return true;
    }

    /** Says that the event has come, or will not come. */
    void free(String eventId) {
        AggregateKey key = coming.remove(eventId);
        if (key != null) {
            free(key);
        }
    }

    private synchronized void free(AggregateKey key) {
        counts.computeIfPresent(key, (any, count) -> less(count));
    }

    private static @Nullable Integer less(int count) {
        return count > 1 ? count - 1 : null;
    }

    void free(Collection<EventEnvelope> events) {
        events.forEach(event -> free(event.eventId()));
    }

    /** For tests. */
    int comingCount() {
        return coming.size();
    }
}
