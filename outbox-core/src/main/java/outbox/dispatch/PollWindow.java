package outbox.dispatch;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The deliveries that ended in this process since a poll began; see {@link InFlightEvents}. */
final class PollWindow {

    private final Map<String, Integer> attemptsOfEnded = new ConcurrentHashMap<>();
    private final Set<String> finished = ConcurrentHashMap.newKeySet();

    private int entered;

    /** Says that an event was read that was not on its way yet; only the thread that polls does. */
    void entered() {
        entered++;
    }

    /** How many events were read that were not on their way yet. */
    int enteredCount() {
        return entered;
    }

    void add(String eventId, int attempts) {
        attemptsOfEnded.merge(eventId, attempts, Math::max);
    }

    void addFinished(String eventId) {
        finished.add(eventId);
    }

    /** Whether that delivery was the last one of its event. */
    boolean isFinished(String eventId) {
        return finished.contains(eventId);
    }

    /** Whether the row was read before that delivery ended. One read after a failure shows the failed attempt. */
    boolean isStale(QueuedEvent row) {
        Integer attempts = attemptsOfEnded.get(row.envelope().eventId());
        return attempts != null && row.attempts() <= attempts;
    }
}
