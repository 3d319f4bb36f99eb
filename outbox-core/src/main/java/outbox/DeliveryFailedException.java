package outbox;

import org.jspecify.annotations.Nullable;

/** A delivery has failed; the retry policy says when it is repeated. As any other exception, for a listener that has nothing else to throw. */
public class DeliveryFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param message is stored as the event's last error; no payload */
    public DeliveryFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
