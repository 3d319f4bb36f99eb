package outbox.proof.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import outbox.dispatch.InFlightTracker;
import outbox.proof.history.DeliveryJournal;

/** Tracks as usual, writes down what comes and goes, and tells how many there are. */
final class CountingTracker implements InFlightTracker {

    private final String outbox;
    private final DeliveryJournal journal;
    private final Set<String> taken = ConcurrentHashMap.newKeySet();

    CountingTracker(String outbox, DeliveryJournal journal) {
        this.outbox = outbox;
        this.journal = journal;
    }

    @Override
    public boolean tryAcquire(String eventId) {
        if (!taken.add(eventId)) {
            return false;
        }
        try {
            journal.taken(outbox, eventId);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return true;
    }

    /** Writes first: once it is removed the next one may come at any moment. */
    @Override
    public void release(String eventId) {
        try {
            if (taken.contains(eventId)) {
                journal.freed(outbox, eventId);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            taken.remove(eventId);
        }
    }

    int size() {
        return taken.size();
    }
}
