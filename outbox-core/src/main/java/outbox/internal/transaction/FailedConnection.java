package outbox.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.spi.ConnectionProvider;

/** What happens to a connection on which work has failed. */
final class FailedConnection {

    private static final String READ_ONLY_STATE = "25006";

    private FailedConnection() {}

    /**
     * Gives the connection back to its pool, or discards it if it is of no use, and rethrows the failure; the return type only pleases the
     * compiler.
     */
    static RuntimeException giveBack(ConnectionProvider connections, Connection conn, Throwable failure)
            throws SQLException {
        boolean setReadOnly = isSetReadOnly(conn, failure);
        Throwable told = setReadOnly ? explained(failure) : failure;
        try {
            if (!setReadOnly && isOfNoUse(failure)) {
                connections.discard(conn);
            } else {
                conn.close();
            }
        } catch (SQLException | RuntimeException e) {
            told.addSuppressed(e);
        }
        return thrown(told);
    }

    /** A pool may not know yet that the server of the connection is gone, or writes no more, and would hand it out again. */
    private static boolean isOfNoUse(Throwable failure) {
        DatabaseFailure kind = DatabaseFailure.of(failure);
        return kind == DatabaseFailure.READ_ONLY || kind == DatabaseFailure.AWAY;
    }

    /** Another connection of the same pool would be set in the same way. */
    private static boolean isSetReadOnly(Connection conn, Throwable failure) {
        try {
            return DatabaseFailure.maySayThatConnectionIsReadOnly(failure) && conn.isReadOnly();
        } catch (SQLException | RuntimeException e) {
            return false; // nothing is known about a connection that does not answer
        }
    }

    private static SQLException explained(Throwable failure) {
        return new SQLException(
                "The connection is set to read-only (Connection.isReadOnly() is true) and the outbox must write:"
                        + " give it a data source whose connections are not set to read-only",
                READ_ONLY_STATE,
                failure);
    }

    private static RuntimeException thrown(Throwable failure) throws SQLException {
        if (failure instanceof SQLException said) {
            throw said;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        return (RuntimeException) failure;
    }
}
