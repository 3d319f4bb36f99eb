package outbox.internal.lease;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Which leases have ended here since it was made: what the table said of their events meanwhile is out of date. Thread-safe. */
public final class LeasesEnded implements AutoCloseable {

    private final Collection<LeasesEnded> watching;
    private final Set<String> eventIds = ConcurrentHashMap.newKeySet();

    LeasesEnded(Collection<LeasesEnded> watching) {
        this.watching = watching;
        watching.add(this);
    }

    void note(String eventId) {
        eventIds.add(eventId);
    }

    /** Whether the lease of the event has ended meanwhile. */
    public boolean contains(String eventId) {
        return eventIds.contains(eventId);
    }

    @Override
    public void close() {
        watching.remove(this);
    }
}
