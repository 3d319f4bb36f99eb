package outbox.inbox;

import java.util.Objects;
import outbox.EventEnvelope;
import outbox.internal.text.EventNames;
import outbox.internal.text.StoredText;

/**
 * An event that has arrived at a consumer group, and what is to be done with it.
 *
 * @param names how messages name it
 */
record Arrival(
        String consumerGroup, EventEnvelope event, EventHandler handler, ConsumeOptions options, EventNames names) {

    Arrival {
        Objects.requireNonNull(consumerGroup, "consumerGroup");
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(options, "options");
        if (consumerGroup.isBlank()) {
            throw new IllegalArgumentException("consumerGroup must not be empty");
        }
    }

    AcquireConsumeCommand wish(String lockedBy) {
        return AcquireConsumeCommand.of(consumerGroup, event, lockedBy, options.lockTtl());
    }

    /** Names the event, its table and its tenant for messages, without its payload. */
    @Override
    public String toString() {
        return names.of(event) + StoredText.inOneLine(" in group " + consumerGroup);
    }
}
