package outbox.internal.lease;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The suspects whose delivery was written down and has not ended yet. Should this process end, each of them is charged with it; so one that
 * has already ended a process is alone here. Thread-safe.
 *
 * <p>A process ends with all its outboxes, so they share one of these. A delivery that outlasts its outbox is here until it returns.
 */
final class SuspectsAtLarge {

    /** Those of all outboxes of this process. */
    static final SuspectsAtLarge OF_PROCESS = new SuspectsAtLarge(System::nanoTime);

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private record Suspect(LeaseBook book, String eventId) {}

    private final LongSupplier nanoTime;
    private final Map<Suspect, Long> since = new HashMap<>();
    private boolean closedToOthers;

    SuspectsAtLarge(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Lets a suspect in, unless it must be alone or another one is. Returns null, or for how long it is to wait: as long as the others have been here,
     * so that it asks less and less often.
     */
    synchronized @Nullable Duration enter(LeaseBook book, String eventId, int crashes) {
        boolean mustBeAlone = crashes > 0;
        if (closedToOthers || (mustBeAlone && !since.isEmpty())) {
            return waitForOthers();
        }
        since.put(new Suspect(book, eventId), nanoTime.getAsLong());
        closedToOthers = mustBeAlone;
        return null;
    }

    private Duration waitForOthers() {
        long now = nanoTime.getAsLong();
        long longest =
                since.values().stream().mapToLong(begun -> now - begun).max().orElse(0);
        long wait = Math.max(SHORTEST_WAIT.toNanos(), Math.min(LONGEST_WAIT.toNanos(), longest));
        return Duration.ofNanos(wait);
    }

    synchronized void leave(LeaseBook book, String eventId) {
        if (since.remove(new Suspect(book, eventId)) != null) {
            closedToOthers = false;
        }
    }
}
