package outbox.model;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a table of events said when it was last asked.
 *
 * @param askedAt when that was
 * @param oldestPending how long the event has been due that waits longest; null if none is. Events that are due in the future do not count, nor
 *     those that wait for a key that a DEAD event holds
 * @param dead events that are DEAD; counting stops at {@value #MOST_DEAD}
 * @param heldKeys keys that a DEAD event holds, among those that were counted
 * @param nodes how many nodes have shown themselves in the last 45 seconds, by the database's clock; null if that is unknown
 * @param pending how many events are pending, for an outbox with a limit of them, which ends the counting; null for one without
 */
public record TableFigures(
        Instant askedAt,
        @Nullable Duration oldestPending,
        int dead,
        int heldKeys,
        @Nullable Integer nodes,
        @Nullable Long pending) {

    /** Where counting DEAD events stops. */
    public static final int MOST_DEAD = 1_000;
}
