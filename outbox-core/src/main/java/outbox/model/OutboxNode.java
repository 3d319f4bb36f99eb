package outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A process that delivers events of a shared table.
 *
 * @param ownerId its name, the one in {@code locked_by} if it leases events
 * @param startedAt when it began, by the database's clock
 * @param lastSeen when it last sent a heartbeat, by the database's clock
 * @param silentSeconds how long ago that was, by the database's clock; a live node is silent for 15 seconds, once a minute for 30
 * @param held how many events are leased to it
 * @param mode how it delivers; null if the table or the node is of a version that does not tell
 */
public record OutboxNode(
        String ownerId,
        Instant startedAt,
        Instant lastSeen,
        long silentSeconds,
        int held,
        @Nullable NodeMode mode) {

    /** A node of which the mode is not known. */
    public OutboxNode(String ownerId, Instant startedAt, Instant lastSeen, long silentSeconds, int held) {
        this(ownerId, startedAt, lastSeen, silentSeconds, held, null);
    }
}
