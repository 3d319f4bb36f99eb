package outbox.domain;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.internal.text.StoredText;

/** How an event's version travels: in a header, so that the event type stays the name that listeners are registered for. */
final class VersionHeader {

    static final String NAME = "eventVersion";

    private VersionHeader() {}

    /** The version of a stored event; 1 if it has none, as events that were not written as domain events. */
    static int of(EventEnvelope event) {
        String text = event.headers().get(NAME);
        return text == null ? 1 : parse(text, event);
    }

    private static int parse(String text, EventEnvelope event) {
        int version = parsed(text);
        if (version < 1) {
            // The value is not shown: errors are stored, and they must not reveal what headers contain.
            throw new OutboxException(
                    "header \"" + NAME + "\" of event " + StoredText.inOneLine(event.eventId())
                            + " must be a whole number >= 1",
                    null);
        }
        return version;
    }

    private static int parsed(@Nullable String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
