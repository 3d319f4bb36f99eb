package outbox.internal;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;

/** What becomes of a connection on which work has failed. */
final class FailedConnection {

    private static final String READ_ONLY_STATE = "25006";

    private FailedConnection() {}

    /** Gives the connection back, or away if it is of no use. Returns only to please the compiler: what failed is thrown. */
    static RuntimeException giveBack(ConnectionProvider connections, @Nullable Connection conn, Throwable failure)
            throws SQLException {
        Throwable told = failure;
        if (conn != null) {
            boolean readOnly = isSetReadOnly(conn, failure);
            told = readOnly ? explained(failure) : failure;
            try {
                if (!readOnly && DatabaseFailure.of(failure) == DatabaseFailure.READ_ONLY) {
                    connections.discard(conn);
                } else {
                    conn.close();
                }
            } catch (SQLException | RuntimeException e) {
                told.addSuppressed(e);
            }
        }
        return thrown(told);
    }

    /** Another connection of the same pool would be set in the same way. */
    private static boolean isSetReadOnly(Connection conn, Throwable failure) {
        try {
            return DatabaseFailure.maySayThatConnectionIsReadOnly(failure) && conn.isReadOnly();
        } catch (SQLException | RuntimeException e) {
            return false; // of a connection that cannot be asked nothing is known
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
