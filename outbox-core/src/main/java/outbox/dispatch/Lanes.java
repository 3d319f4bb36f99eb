package outbox.dispatch;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.QueuedEvent.Source;

/**
 * The events of each key in line: the first of a lane is queued or running, the others wait until it has ended. A lane is there only as
 * long as it has events. Thread-safe.
 */
final class Lanes {

    /**
     * Where an event has come.
     *
     * @param first whether it is at the head of its lane
     * @param behindAll whether all that must end before it are in the lane before it or have ended
     */
    record Place(boolean first, boolean behindAll) {}

    private final Map<AggregateKey, Map<String, QueuedEvent>> lanes = new HashMap<>();
    private final Waiting waitingHot = new Waiting();
    private final Waiting waitingCold = new Waiting();

    /** How much waits behind the first ones. */
    private static final class Waiting {
        private int events;
        private long bytes;
    }

    /**
     * Puts the event at the end of its lane.
     *
     * @param ahead the ids of events that must end before it
     * @param hasEnded knows those that have ended a moment ago
     */
    synchronized Place join(AggregateKey key, QueuedEvent event, Collection<String> ahead, Predicate<String> hasEnded) {
        Map<String, QueuedEvent> lane = lanes.computeIfAbsent(key, any -> new LinkedHashMap<>());
        boolean first = lane.isEmpty();
        boolean behindAll = ahead.stream().allMatch(id -> lane.containsKey(id) || hasEnded.test(id));
        lane.put(event.envelope().eventId(), event);
        if (!first) {
            countWaiting(event, 1);
        }
        return new Place(first, behindAll);
    }

    /** Takes the first event of the lane out, because it has ended. Returns the one that is first now, if there is any. */
    synchronized @Nullable QueuedEvent advance(AggregateKey key, String eventId) {
        Map<String, QueuedEvent> lane = laneOf(key, eventId);
        if (lane == null) {
            return null;
        }
        lane.remove(eventId);
        if (lane.isEmpty()) {
            lanes.remove(key);
            return null;
        }
        QueuedEvent next = first(lane);
        countWaiting(next, -1);
        return next;
    }

    /** Ends the lane, because its first event did not end as it should. Returns those that waited behind it. */
    synchronized Collection<QueuedEvent> breakUp(AggregateKey key, String eventId) {
        Map<String, QueuedEvent> lane = laneOf(key, eventId);
        if (lane == null) {
            return List.of();
        }
        // Not copied: there may be no memory for that, and nobody else knows those that wait.
        Collection<QueuedEvent> followers = lane.values();
        lanes.remove(key);
        lane.remove(eventId);
        for (QueuedEvent follower : followers) {
            countWaiting(follower, -1);
        }
        return followers;
    }

    /** Whether somebody waits for the end of the first event. */
    synchronized boolean hasFollowers(AggregateKey key) {
        return lanes.getOrDefault(key, Map.of()).size() > 1;
    }

    /** How many events wait behind others. */
    synchronized int waiting(Source source) {
        return of(source).events;
    }

    /** How many bytes they take in memory. */
    synchronized long waitingBytes(Source source) {
        return of(source).bytes;
    }

    private Waiting of(Source source) {
        return source == Source.HOT ? waitingHot : waitingCold;
    }

    /** How many keys have events here. */
    synchronized int size() {
        return lanes.size();
    }

    /** The lane, if the event is the first one in it. */
    private @Nullable Map<String, QueuedEvent> laneOf(AggregateKey key, String eventId) {
        Map<String, QueuedEvent> lane = lanes.get(key);
        return lane != null && first(lane).envelope().eventId().equals(eventId) ? lane : null;
    }

    private static QueuedEvent first(Map<String, QueuedEvent> lane) {
        return lane.values().iterator().next();
    }

    private void countWaiting(QueuedEvent event, int change) {
        Waiting waiting = of(event.source());
        waiting.events += change;
        waiting.bytes += change * event.envelope().sizeInMemory();
    }
}
