package outbox.spi;

import org.jspecify.annotations.Nullable;
import outbox.OutboxException;

/**
 * There is no table of pauses, so nothing is paused for all processes, and nothing can be. The transaction in which it was asked for may have to
 * be rolled back.
 */
public class MissingPauseTableException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message that names the table and what creates it. */
    public MissingPauseTableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
