package outbox.internal.preflight;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;

/**
 * Connections of a preflight. Some providers say with an unchecked exception that there is none to be had; here that is told apart from a mistake
 * in what is done with a connection.
 */
final class TriedConnections implements ConnectionProvider {

    private final ConnectionProvider target;

    TriedConnections(ConnectionProvider target) {
        this.target = target;
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            return target.getConnection();
        } catch (RuntimeException e) {
            throw new NoConnection(e);
        }
    }

    @Override
    public Connection getConnectionForOwnWork() throws SQLException {
        try {
            return target.getConnectionForOwnWork();
        } catch (RuntimeException e) {
            throw new NoConnection(e);
        }
    }

    @Override
    public OptionalInt maxConnections() {
        return target.maxConnections();
    }

    @Override
    public @Nullable Object source() {
        return target.source();
    }

    @Override
    public void discard(Connection connection) throws SQLException {
        target.discard(connection);
    }

    /** Has neither SQLState nor code: what it means is for its cause to tell. */
    private static final class NoConnection extends SQLException {

        private static final long serialVersionUID = 1L;

        NoConnection(RuntimeException cause) {
            super("No connection could be had: " + cause, cause);
        }
    }
}
