package outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What an outbox is doing, in figures.
 *
 * @param lastPoll when this process last asked the table for events and got an answer; null if it never did
 * @param lastDelivery when this process last recorded that a listener has returned; null if it never did
 * @param stuckDeliveries how many deliveries have been running here for longer than 30 seconds and half a lease
 * @param relaying whether anybody delivers
 * @param table what the table said; null if it could not be asked
 */
public record OutboxFigures(
        @Nullable Instant lastPoll,
        @Nullable Instant lastDelivery,
        int stuckDeliveries,
        Relaying relaying,
        @Nullable TableFigures table) {

    /** Nothing is known. */
    public static final OutboxFigures NONE = new OutboxFigures(null, null, 0, Relaying.UNKNOWN, null);

    /** What this one does not know, the other may. */
    OutboxFigures and(OutboxFigures other) {
        return new OutboxFigures(
                lastPoll == null ? other.lastPoll : lastPoll,
                lastDelivery == null ? other.lastDelivery : lastDelivery,
                stuckDeliveries + other.stuckDeliveries,
                relaying == Relaying.UNKNOWN ? other.relaying : relaying,
                table == null ? other.table : table);
    }
}
