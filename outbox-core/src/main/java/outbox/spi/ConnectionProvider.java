package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;

/** Gives out connections for short work outside the business transaction; the caller closes them. */
@FunctionalInterface
public interface ConnectionProvider {

    /** Returns a connection in either autocommit mode. */
    Connection getConnection() throws SQLException;

    /**
     * A connection for one short transaction of the outbox itself, such as a claim or a mark: never one in which the application writes.
     * By default that of {@link #getConnection()}. A provider may prepare it, for example set the isolation level; closing the connection
     * then undoes that.
     */
    default Connection getConnectionForOwnWork() throws SQLException {
        return getConnection();
    }

    /**
     * Takes back a connection that answers but cannot write, most often because the old primary is still alive after a fail-over. It must
     * not be handed out again, which closing it would do if it belongs to a pool. By default it is aborted, and then closed.
     */
    default void discard(Connection connection) throws SQLException {
        try {
            connection.abort(Runnable::run);
        } finally {
            connection.close();
        }
    }
}
