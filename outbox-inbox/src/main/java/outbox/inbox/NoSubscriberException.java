package outbox.inbox;

import outbox.OutboxException;

/** An event was published that no group has a handler for. */
public final class NoSubscriberException extends OutboxException {

    private static final long serialVersionUID = 1L;

    NoSubscriberException(String message) {
        super(message, null);
    }
}
