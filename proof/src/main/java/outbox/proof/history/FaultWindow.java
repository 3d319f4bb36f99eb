package outbox.proof.history;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A time in which something was so wrong that an outcome may have had to wait, and perhaps so wrong that an event may have to be delivered
 * again.
 *
 * @param process whose trouble it was; null if it was everybody's
 * @param events the ids of those that it could touch; null if it could touch all
 * @param excusesRepeats whether an event may be delivered again because of it
 */
public record FaultWindow(
        String what,
        @Nullable String process,
        @Nullable Set<String> events,
        long from,
        long to,
        boolean excusesRepeats) {

    private static final String DEATH = "death by an event";

    /** An event has ended its process, and whatever ran there beside it. */
    public static FaultWindow deathByEvent(String process, long from, long to) {
        return new FaultWindow(DEATH, process, from, to);
    }

    /** Of all events, which may be delivered again because of it. */
    public FaultWindow(String what, @Nullable String process, long from, long to) {
        this(what, process, null, from, to, true);
    }

    boolean isDeathByEvent() {
        return what.equals(DEATH);
    }

    /** Whether it could touch that event at that process. */
    boolean isOf(String aProcess, String eventId) {
        return isOf(aProcess) && (events == null || events.contains(eventId));
    }

    /** Whether it could touch whatever that process does. */
    boolean isOfAll(String aProcess) {
        return isOf(aProcess) && events == null;
    }

    private boolean isOf(String aProcess) {
        return process == null || process.equals(aProcess);
    }
}
