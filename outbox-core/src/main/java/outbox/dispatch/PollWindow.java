package outbox.dispatch;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The events that ended in this process since a poll began; see {@link InFlightEvents}. */
final class PollWindow {

    private final Set<String> ended = ConcurrentHashMap.newKeySet();

    void add(String eventId) {
        ended.add(eventId);
    }

    boolean contains(String eventId) {
        return ended.contains(eventId);
    }
}
