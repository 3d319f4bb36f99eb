package outbox;

import org.jspecify.annotations.Nullable;

/** Thrown by a listener that can never deliver the event: it ends DEAD at once. */
public class PermanentFailureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param message is stored as the event's last error; no payload */
    public PermanentFailureException(String message) {
        super(message);
    }

    /** @param message is stored as the event's last error; no payload */
    public PermanentFailureException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
