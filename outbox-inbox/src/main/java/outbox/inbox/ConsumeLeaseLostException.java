package outbox.inbox;

import outbox.OutboxException;

/** A handler took longer than its lease and another consumer has taken over the event: the handler's work was rolled back. */
public final class ConsumeLeaseLostException extends OutboxException {

    private static final long serialVersionUID = 1L;

    ConsumeLeaseLostException(String message) {
        super(message, null);
    }
}
