package outbox.model;

import java.time.Instant;

/**
 * A process that delivers events of a shared table.
 *
 * @param ownerId its name in {@code locked_by}
 * @param startedAt when it began, by the database's clock
 * @param lastSeen when it was last heard of, by the database's clock
 * @param silentSeconds how long ago that is, by the database's clock; a live node is heard of every 15 seconds
 * @param held how many events are leased to it
 */
public record OutboxNode(String ownerId, Instant startedAt, Instant lastSeen, long silentSeconds, int held) {}
