package outbox;

import org.jspecify.annotations.Nullable;

/** Thrown by a listener whose receiver is away: the attempt does not count, and the listener's breaker opens. */
public class ReceiverAwayException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param message is stored as the event's last error; no payload */
    public ReceiverAwayException(String message) {
        super(message);
    }

    /** @param message is stored as the event's last error; no payload */
    public ReceiverAwayException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
