package outbox.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import outbox.spi.ConnectionProvider;

/**
 * Runs one piece of work on a connection of its own and makes it durable: in autocommit mode the statements commit
 * themselves, otherwise the transaction is committed here, or rolled back if the work fails.
 *
 * <p>A transaction that the database rolled back in favour of another one is done again as a whole. Of statements that commit themselves
 * some may have been committed already; those who know them repeat them.
 *
 * <p>A connection that answers but does not write is not given back to its pool, which would only hand it out again.
 */
public final class ShortTransaction {

    private static final Logger LOG = SafeLog.of(ShortTransaction.class);

    private ShortTransaction() {}

    /** Work on a connection. */
    @FunctionalInterface
    public interface Work<T> {

        /** Does the work; must not close the connection. Done again if its transaction was rolled back. */
        T on(Connection conn) throws SQLException;
    }

    /** Runs the work on a connection of its own and returns its result once it is durable. */
    public static <T> T run(ConnectionProvider connections, Work<T> work) throws SQLException {
        Attempts<T> attempts = new Attempts<>(connections, work);
        return Victims.repeat(attempts::next, attempts::wasTransaction);
    }

    /** Tries to do the same work, each on a connection of its own. */
    private static final class Attempts<T> {

        private final ConnectionProvider connections;
        private final Work<T> work;
        private boolean transaction;

        Attempts(ConnectionProvider connections, Work<T> work) {
            this.connections = connections;
            this.work = work;
        }

        /** Whether the last one was a transaction that ended here. */
        boolean wasTransaction() {
            return transaction;
        }

        T next() throws SQLException {
            transaction = false;
            Connection conn = connections.getConnectionForOwnWork();
            T result;
            try {
                transaction = !commitsItself(conn);
                result = transaction ? runAndCommit(conn, work) : work.on(conn);
            } catch (Throwable e) {
                throw FailedConnection.giveBack(connections, conn, e);
            }
            closeAfterSuccess(conn);
            return result;
        }
    }

    /**
     * Runs the work as one transaction on the given connection: one that is begun and ended here if the connection is in autocommit
     * mode, which is restored, and otherwise the caller's, which is left for the caller to end, and to repeat.
     */
    public static <T> T atomically(Connection conn, Work<T> work) throws SQLException {
        if (conn == null || !conn.getAutoCommit()) {
            return work.on(conn);
        }
        return Victims.repeat(() -> inTransaction(conn, work), () -> true);
    }

    private static <T> T inTransaction(Connection conn, Work<T> work) throws SQLException {
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
