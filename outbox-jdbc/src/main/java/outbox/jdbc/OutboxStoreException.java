package outbox.jdbc;

import org.jspecify.annotations.Nullable;
import outbox.OutboxException;

/** The database refused a statement, or the outbox table is not as it should be. The message names the table and the work. */
public class OutboxStoreException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public OutboxStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
