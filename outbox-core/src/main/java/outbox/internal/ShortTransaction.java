package outbox.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import outbox.spi.ConnectionProvider;

/**
 * Runs one piece of work on a connection of its own and makes it durable: in autocommit mode the statements commit
 * themselves, otherwise the transaction is committed here, or rolled back if the work fails.
 */
public final class ShortTransaction {

    private static final Logger LOG = System.getLogger(ShortTransaction.class.getName());

    private ShortTransaction() {}

    /** Work on a connection. */
    @FunctionalInterface
    public interface Work<T> {

        /** Does the work; must not close the connection. */
        T on(Connection conn) throws SQLException;
    }

    /** Runs the work on a connection of its own and returns its result once it is durable. */
    public static <T> T run(ConnectionProvider connections, Work<T> work) throws SQLException {
        Connection conn = connections.getConnection();
        T result;
        try {
            result = commitsItself(conn) ? work.on(conn) : runAndCommit(conn, work);
        } catch (Throwable e) {
            closeAfter(e, conn);
            throw e;
        }
        closeAfterSuccess(conn);
        return result;
    }

    /**
     * Runs the work as one transaction on the given connection: one that is begun and ended here if the connection is in autocommit
     * mode, which is restored, and otherwise the caller's, which is left for the caller to end.
     */
    public static <T> T atomically(Connection conn, Work<T> work) throws SQLException {
        if (conn == null || !conn.getAutoCommit()) {
            return work.on(conn);
        }
        conn.setAutoCommit(false);
        try {
            return runAndCommit(conn, work);
        } finally {
            conn.setAutoCommit(true);
        }
    }

    /** A unit test with a store in memory may well provide no connection at all. */
    private static boolean commitsItself(Connection conn) throws SQLException {
        return conn == null || conn.getAutoCommit();
    }

    private static void closeAfter(Throwable failure, Connection conn) {
        try {
            close(conn);
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** The work is durable by now: were this a failure, the caller would do it a second time. */
    private static void closeAfterSuccess(Connection conn) {
        try {
            close(conn);
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, "Cannot close a connection after its work was done", LoggedError.of(e));
        }
    }

    private static void close(Connection conn) throws SQLException {
        if (conn != null) {
            conn.close();
        }
    }

    private static <T> T runAndCommit(Connection conn, Work<T> work) throws SQLException {
        try {
            T result = work.on(conn);
            conn.commit();
            return result;
        } catch (Throwable e) {
            rollback(conn, e);
            throw e;
        }
    }

    private static void rollback(Connection conn, Throwable reason) {
        try {
            conn.rollback();
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }
}
