package outbox;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * What happened to an event that was written with {@link OutboxWriter#enqueue}.
 *
 * @param eventId the event's id
 * @param sequence its place in the order of the inserts; empty if the table has no column {@code seq}
 * @param alreadyThere whether the table already contained this id, so that nothing was written
 */
public record WriteReceipt(String eventId, OptionalLong sequence, boolean alreadyThere) {

    public WriteReceipt {
        Objects.requireNonNull(eventId, "eventId");
        Objects.requireNonNull(sequence, "sequence");
    }

    /** The receipt of an event that has just been written. */
    public static WriteReceipt written(String eventId, OptionalLong sequence) {
        return new WriteReceipt(eventId, sequence, false);
    }

    /** The receipt of an event that was in the table before. */
    public static WriteReceipt alreadyThere(String eventId, OptionalLong sequence) {
        return new WriteReceipt(eventId, sequence, true);
    }
}
