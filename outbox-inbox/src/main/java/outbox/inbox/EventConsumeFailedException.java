package outbox.inbox;

import org.jspecify.annotations.Nullable;
import outbox.OutboxException;

/** An event could not be handled: its handler threw a checked exception, or another consumer's attempt, which this one waited for, failed. */
public class EventConsumeFailedException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public EventConsumeFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
