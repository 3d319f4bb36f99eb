package outbox.internal.transaction;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.spi.ConnectionProvider;

/**
 * Runs one piece of work on a connection of its own and makes it durable: in autocommit mode the statements commit
 * themselves, otherwise the transaction is committed here, or rolled back if the work fails.
 *
 * <p>A transaction that the database rolled back in favour of another one is repeated as a whole. In autocommit mode some statements may
 * already have been committed; whoever issued them repeats them.
 *
 * <p>A connection that answers but does not write is not given back to its pool, which would only hand it out again.
 */
public final class ShortTransaction {

    private static final Logger LOG = SafeLog.of(ShortTransaction.class);

    private ShortTransaction() {}

    /** Work on a connection. */
    @FunctionalInterface
    public interface Work<T> {

        /** Does the work; must not close the connection. Called again if its transaction was rolled back. */
        T on(Connection conn) throws SQLException;
    }

    /** Runs the work on a connection of its own and returns its result once it is durable. */
    public static <T> T run(ConnectionProvider connections, Work<T> work) throws SQLException {
        Attempts<T> attempts = new Attempts<>(connections, work);
        try {
            return attempts.next();
        } catch (SQLException | RuntimeException e) {
            return RolledBackWork.repeatAfter(e, attempts::next, attempts::wasTransaction);
        }
    }

    /** Attempts at the same work, each on a connection of its own. */
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
            Connection conn = Objects.requireNonNull(connections.getConnectionForOwnWork(), "connection");
            T result;
            try {
                transaction = !conn.getAutoCommit();
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
     * mode, which is restored, and otherwise the caller's, which the caller ends and repeats.
     */
    public static <T> T atomically(Connection conn, Work<T> work) throws SQLException {
        if (!conn.getAutoCommit()) {
            return work.on(conn);
        }
        try {
            return inTransaction(conn, work);
        } catch (SQLException | RuntimeException e) {
            return RolledBackWork.repeatAfter(e, () -> inTransaction(conn, work), () -> true);
        }
    }

    private static <T> T inTransaction(Connection conn, Work<T> work) throws SQLException {
        conn.setAutoCommit(false);
        try {
            return runAndCommit(conn, work);
        } finally {
            conn.setAutoCommit(true);
        }
    }

    /** The work is already durable: if this failed, the caller would do it a second time. */
    private static void closeAfterSuccess(Connection conn) {
        try {
            conn.close();
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, "Cannot close a connection after its work was done", LoggedError.of(e));
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
