package outbox.jdbc.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import outbox.internal.task.LastWork;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.util.DaemonThreadFactory;

/**
 * Ends a connection on which another thread waits for an answer that may never come: an interrupt does not reach it there, but the end of
 * its socket does.
 */
public final class Abort {

    private static final Logger LOG = SafeLog.of(Abort.class);
    private static final Duration TIME = Duration.ofSeconds(1);
    private static final DaemonThreadFactory THREADS = new DaemonThreadFactory("outbox-abort-");

    private Abort() {}

    /** Ends the connection, whoever uses it; waits a second for that at most. */
    public static void now(Connection conn) {
        LastWork.within(TIME, "The abort of a connection", () -> abort(conn));
    }

    private static void abort(Connection conn) {
        try {
            conn.abort(command -> THREADS.newThread(command).start());
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "A connection could not be aborted", LoggedError.of(e));
        }
    }
}
