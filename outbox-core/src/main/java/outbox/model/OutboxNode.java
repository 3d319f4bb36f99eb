package outbox.model;

import java.time.Instant;

/**
 * A process that delivers events of a shared table.
 *
 * @param ownerId its name in {@code locked_by}
 * @param startedAt when it began, by the database's clock
 * @param lastSeen when it last sent a heartbeat, by the database's clock
 * @param silentSeconds how long ago that was, by the database's clock; a live node sends a heartbeat every 15 seconds
 * @param held how many events are leased to it
 */
public record OutboxNode(String ownerId, Instant startedAt, Instant lastSeen, long silentSeconds, int held) {}
