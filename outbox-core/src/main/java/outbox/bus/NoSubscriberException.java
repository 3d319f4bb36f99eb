package outbox.bus;

import outbox.OutboxException;
import outbox.internal.text.StoredText;

/** An event was published, but nobody has subscribed to its type: most likely a part of the application was not set up. */
public class NoSubscriberException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /** For events of that type. */
    public NoSubscriberException(String eventType) {
        super(
                "No subscriber for event type \"" + StoredText.inOneLine(eventType)
                        + "\"; subscribe before events of that type are published",
                null);
    }
}
