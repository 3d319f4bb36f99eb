package outbox;

import org.jspecify.annotations.Nullable;

/** Root of the unchecked exceptions of this library. Its messages never contain an event's payload or headers. */
public class OutboxException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message that names the thing, the rule and the way out. */
    public OutboxException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
