package outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.internal.Victims;

/**
 * Repeats statements that the database chose as the victim of a deadlock. It has rolled them back, so nothing was done; but in a
 * transaction the work before them is gone as well, and only who began the transaction can repeat that.
 */
public final class Deadlocks {

    private Deadlocks() {}

    /** Repeats work on a connection, unless that is in a transaction. */
    public static <T> T retry(Connection conn, Victims.Work<T> work) throws SQLException {
        return Victims.repeat(work, conn::getAutoCommit);
    }
}
