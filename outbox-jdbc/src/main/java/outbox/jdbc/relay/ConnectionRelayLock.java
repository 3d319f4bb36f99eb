package outbox.jdbc.relay;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.internal.LoggedError;
import outbox.spi.RelayLock;

/** A lock that lives as long as the connection on which it was taken. */
abstract class ConnectionRelayLock implements RelayLock {

    private static final Logger LOG = System.getLogger(ConnectionRelayLock.class.getName());

    private final DataSource dataSource;
    private @Nullable Connection holding;
    private boolean foundAutoCommit;

    ConnectionRelayLock(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Tries to take the lock on a connection that does not have it. */
    abstract boolean acquire(Connection conn) throws SQLException;

    /** Asks whether the connection has the lock. */
    abstract boolean holds(Connection conn) throws SQLException;

    /** Frees the lock. */
    abstract void release(Connection conn) throws SQLException;

    @Override
    public final synchronized boolean tryHold() throws SQLException {
        Connection conn = holding;
        if (conn == null) {
            return begin();
        }
        boolean held = false;
        try {
            held = holds(conn);
        } finally {
            if (!held) {
                end(conn);
            }
        }
        return held;
    }

    private boolean begin() throws SQLException {
        Connection conn = dataSource.getConnection();
        boolean acquired = false;
        try {
            foundAutoCommit = conn.getAutoCommit();
            acquired = acquire(conn) && holds(conn);
            holding = acquired ? conn : null;
            return acquired;
        } finally {
            if (!acquired) {
                end(conn);
            }
        }
    }

    @Override
    public final synchronized void close() {
        if (holding != null) {
            end(holding);
        }
    }

    /** Gives the connection back as it was found. One that does not even close is broken, and the lock gone with it. */
    private void end(Connection conn) {
        holding = null;
        try (conn) {
            release(conn);
            conn.setAutoCommit(foundAutoCommit);
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "A connection of a relay lock did not end in good order", LoggedError.of(e));
        }
    }
}
