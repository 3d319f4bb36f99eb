package outbox.internal.lease;

import java.util.HashSet;
import java.util.Set;

/**
 * The suspects whose delivery was written down and whose outcome is not recorded yet. Should this process end, each of them is charged with it;
 * so one that has already ended a process is alone here. Thread-safe.
 */
final class SuspectsAtLarge {

    private final Set<String> suspects = new HashSet<>();
    private boolean closedToOthers;

    /** Returns false if the suspect, or those that are there, must be alone. */
    synchronized boolean enter(String eventId, int crashes) {
        boolean mustBeAlone = crashes > 0;
        if (closedToOthers || (mustBeAlone && !suspects.isEmpty())) {
            return false;
        }
        suspects.add(eventId);
        closedToOthers = mustBeAlone;
        return true;
    }

    synchronized void leave(String eventId) {
        if (suspects.remove(eventId)) {
            closedToOthers = false;
        }
    }
}
