package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

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
     * How many connections there can be at the same time; empty, the default, if nobody knows.
     */
    default OptionalInt maxConnections() {
        return OptionalInt.empty();
    }

    /**
     * Where the connections come from, most often a pool, to be compared by identity with where others take theirs from; null, the default, if
     * nobody knows.
     */
    default @Nullable Object source() {
        return null;
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
