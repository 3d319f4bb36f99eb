package outbox.bus;

import java.util.List;
import java.util.stream.Collectors;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.internal.text.ContentMask;
import outbox.internal.text.ErrorText;
import outbox.internal.text.StoredText;

/**
 * At least one subscriber of an event has failed. The first failure is the cause, the others are suppressed. The message names them all,
 * with anything that quotes the event's payload or headers masked.
 */
public class SubscribersFailedException extends OutboxException {

    private static final long serialVersionUID = 1L;

    SubscribersFailedException(EventEnvelope event, List<Throwable> failures, int subscribers) {
        super(message(event, failures, subscribers), failures.get(0));
        failures.stream().skip(1).forEach(this::addSuppressed);
    }

    private static String message(EventEnvelope event, List<Throwable> failures, int subscribers) {
        ContentMask content = ContentMask.of(event);
        return failures.size() + " of " + subscribers + " subscriber(s) of event type \""
                + StoredText.inOneLine(event.eventType() + "\" failed for event " + event.eventId())
                + ": "
                + failures.stream()
                        .map(failure -> ErrorText.of(failure, content))
                        .collect(Collectors.joining("; "));
    }
}
