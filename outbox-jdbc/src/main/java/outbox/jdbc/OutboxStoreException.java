package outbox.jdbc;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.OutboxException;
import outbox.internal.text.StoredText;

/** The database refused a statement, or the outbox table is not as it should be. The message names the table and the work. */
public class OutboxStoreException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /** For work on a table that the database has refused. Its own message stays in the cause: it may quote a payload. */
    public static OutboxStoreException of(String work, TableName table, SQLException cause) {
        return new OutboxStoreException(
                "Cannot " + StoredText.inOneLine(work) + " in table " + table + ": SQLState " + cause.getSQLState()
                        + ", error " + cause.getErrorCode(),
                cause);
    }

    /** Creates the exception. */
    public OutboxStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
