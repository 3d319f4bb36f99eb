package outbox.inbox;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * Says that an event could not be handled.
 *
 * @param consumerGroup by whom
 * @param event which event
 * @param lockedBy the attempt that holds its lease; null if its transaction, which has been rolled back, was all that it held
 * @param errorMsg the recorded reason, cut to {@value #MAX_ERROR_LENGTH} characters; without the event's content
 * @param retryIn how long until the retry is due; null if there is none left
 * @param keepEvent whether to store the whole event, so that it can be retried without another delivery
 */
public record MarkConsumeFailedCommand(
        String consumerGroup,
        EventEnvelope event,
        @Nullable String lockedBy,
        String errorMsg,
        @Nullable Duration retryIn,
        boolean keepEvent) {

    /** The longest reason that is recorded. */
    public static final int MAX_ERROR_LENGTH = 256;

    public MarkConsumeFailedCommand {
        Objects.requireNonNull(consumerGroup, "consumerGroup");
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(errorMsg, "errorMsg");
        if (retryIn != null && retryIn.isNegative()) {
            throw new IllegalArgumentException("retryIn must not be negative, was " + retryIn);
        }
    }
}
