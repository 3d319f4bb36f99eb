package outbox.internal.queue;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The elements of each key in line: the first of a lane is queued or running, the others wait until it has ended. A lane is there only as
 * long as it has elements. Thread-safe.
 */
public final class Lanes<K, T> {

    /**
     * Where an element has come.
     *
     * @param first whether it is at the head of its lane
     * @param behindAll whether all that must end before it are in the lane before it or have ended
     */
    public record Place(boolean first, boolean behindAll) {}

    private final Map<K, Map<String, T>> lanes = new HashMap<>();
    private final Elements<T> elements;
    private final Waiting waitingHot = new Waiting();
    private final Waiting waitingCold = new Waiting();

    /** How much waits behind the first ones. */
    private static final class Waiting {
        private int count;
        private long bytes;
    }

    public Lanes(Elements<T> elements) {
        this.elements = elements;
    }

    /**
     * Puts the element at the end of its lane.
     *
     * @param ahead the ids of elements that must end before it
     * @param hasEnded knows those that have ended a moment ago
     */
    public synchronized Place join(K key, T element, Collection<String> ahead, Predicate<String> hasEnded) {
        Map<String, T> lane = lanes.computeIfAbsent(key, unused -> new LinkedHashMap<>());
        boolean first = lane.isEmpty();
        boolean behindAll = ahead.stream().allMatch(id -> lane.containsKey(id) || hasEnded.test(id));
        lane.put(elements.idOf(element), element);
        if (!first) {
            countWaiting(element, 1);
        }
        return new Place(first, behindAll);
    }

    /** Takes the first element of the lane out, because it has ended. Returns the one that is first now, if there is any. */
    public synchronized @Nullable T advance(K key, String id) {
        Map<String, T> lane = laneOf(key, id);
        if (lane == null) {
            return null;
        }
        lane.remove(id);
        if (lane.isEmpty()) {
            lanes.remove(key);
            return null;
        }
        T next = first(lane);
        countWaiting(next, -1);
        return next;
    }

    /** Ends the lane, because its first element did not end as it should. Returns those that waited behind it. */
    public synchronized Collection<T> breakUp(K key, String id) {
        Map<String, T> lane = laneOf(key, id);
        if (lane == null) {
            return List.of();
        }
        // Not copied: there may be no memory for that, and nobody else knows those that wait.
        Collection<T> followers = lane.values();
        lanes.remove(key);
        lane.remove(id);
        for (T follower : followers) {
            countWaiting(follower, -1);
        }
        return followers;
    }

    /** Whether somebody waits for the end of the first element. */
    public synchronized boolean hasFollowers(K key) {
        return lanes.getOrDefault(key, Map.of()).size() > 1;
    }

    /** How many elements of the key are here. */
    public synchronized int length(K key) {
        return lanes.getOrDefault(key, Map.of()).size();
    }

    /** How many elements wait behind others. */
    public synchronized int waiting(boolean hot) {
        return of(hot).count;
    }

    /** How many bytes they take in memory. */
    public synchronized long waitingBytes(boolean hot) {
        return of(hot).bytes;
    }

    private Waiting of(boolean hot) {
        return hot ? waitingHot : waitingCold;
    }

    /** How many keys have elements here. */
    public synchronized int size() {
        return lanes.size();
    }

    /** The lane, if the element is the first one in it. */
    private @Nullable Map<String, T> laneOf(K key, String id) {
        Map<String, T> lane = lanes.get(key);
        return lane != null && elements.idOf(first(lane)).equals(id) ? lane : null;
    }

    private T first(Map<String, T> lane) {
        return lane.values().iterator().next();
    }

    private void countWaiting(T element, int change) {
        Waiting waiting = of(elements.isHot(element));
        waiting.count += change;
        waiting.bytes += change * elements.sizeOf(element);
    }
}
