package outbox;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * What became of an event that was written with {@link OutboxWriter#enqueue}.
 *
 * @param eventId the event's id
 * @param sequence its place in the order of the inserts; empty if the table has no column {@code seq}
 * @param alreadyThere whether an event of this id was there before, so that nothing was written
 */
public record WriteReceipt(String eventId, OptionalLong sequence, boolean alreadyThere) {

    public WriteReceipt {
        Objects.requireNonNull(eventId, "eventId");
        Objects.requireNonNull(sequence, "sequence");
    }

    /** Of an event that was written now. */
    public static WriteReceipt written(String eventId, OptionalLong sequence) {
        return new WriteReceipt(eventId, sequence, false);
    }

    /** Of an event that was there before. */
    public static WriteReceipt alreadyThere(String eventId, OptionalLong sequence) {
        return new WriteReceipt(eventId, sequence, true);
    }
}
