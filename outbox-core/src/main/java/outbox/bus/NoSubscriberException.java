package outbox.bus;

import outbox.OutboxException;

/** Nobody has subscribed to the type of an event that was published: most likely a part of the application was not set up. */
public class NoSubscriberException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /** For events of that type. */
    public NoSubscriberException(String eventType) {
        super(
                "No subscriber for event type \"" + eventType
                        + "\"; subscribe before events of that type are published",
                null);
    }
}
