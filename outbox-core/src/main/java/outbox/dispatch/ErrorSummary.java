package outbox.dispatch;

import outbox.EventEnvelope;
import outbox.internal.text.ContentMask;
import outbox.internal.text.ErrorText;

/**
 * Says in a few words why a delivery failed. The words are stored in the table's {@code last_error} and logged when the event ends DEAD;
 * other people than those who may read payloads see them. Must be thread-safe.
 */
@FunctionalInterface
public interface ErrorSummary {

    /**
     * Sums up what a listener or an interceptor has thrown. A text of more than 4000 characters is cut. If this throws or returns null, the
     * class name of the error is stored.
     */
    String of(EventEnvelope event, Throwable error);

    /**
     * The class name and the message of the error, without what is found in the message of the event's payload and header values: any
     * eight characters in a row that stand in one value, and whole values of at least four characters. The default.
     *
     * <p>A message is other people's text, so this is no proof: what was encoded, encrypted or computed from a value is not found. Where
     * that is not enough, take {@link #classNameOnly()}.
     */
    static ErrorSummary withoutContent() {
        return (event, error) -> error instanceof UnroutableEventException unroutable && unroutable.hasNamesOnly()
                ? ErrorText.of(error)
                : ErrorText.of(error, ContentMask.of(event));
    }

    /** The class name of the error and nothing else. */
    static ErrorSummary classNameOnly() {
        return (event, error) -> error.getClass().getName();
    }
}
