package outbox.proof.node;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import outbox.dispatch.InFlightTracker;

/** Tracks as usual, and tells how many. */
final class CountingTracker implements InFlightTracker {

    private final Set<String> taken = ConcurrentHashMap.newKeySet();

    @Override
    public boolean tryAcquire(String eventId) {
        return taken.add(eventId);
    }

    @Override
    public void release(String eventId) {
        taken.remove(eventId);
    }

    int size() {
        return taken.size();
    }
}
