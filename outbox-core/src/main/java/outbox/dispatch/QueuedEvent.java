package outbox.dispatch;

import java.util.Objects;
import outbox.EventEnvelope;

/**
 * An event on its way through the dispatcher.
 *
 * @param attempts how many deliveries have failed so far
 */
public record QueuedEvent(EventEnvelope envelope, Source source, int attempts) {

    /** Where an event comes from. */
    public enum Source {
        /** From the writing thread, right after its commit. */
        HOT,
        /** From the poller, out of the table. */
        COLD
    }

    public QueuedEvent {
        Objects.requireNonNull(envelope, "envelope");
        Objects.requireNonNull(source, "source");
    }

    QueuedEvent from(Source actual) {
        return source == actual ? this : new QueuedEvent(envelope, actual, attempts);
    }
}
