package outbox.inbox;

import java.util.Objects;

/**
 * Says that an event was handled.
 *
 * @param consumerGroup by whom
 * @param eventId which event
 * @param lockedBy the attempt that acquired it
 */
public record MarkConsumeSuccessCommand(String consumerGroup, String eventId, String lockedBy) {

    public MarkConsumeSuccessCommand {
        Objects.requireNonNull(consumerGroup, "consumerGroup");
        Objects.requireNonNull(eventId, "eventId");
        Objects.requireNonNull(lockedBy, "lockedBy");
    }
}
