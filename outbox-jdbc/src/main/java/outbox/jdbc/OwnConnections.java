package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Puts connections on the isolation level that the outbox's own transactions need. Which level connections come with is asked of the first
 * one only: it costs a round trip, and is the pool's to decide.
 */
final class OwnConnections {

    private volatile @Nullable Found found;

    /** The level that connections come with, and what is made of it. */
    private record Found(int level, OwnIsolation needed) {}

    /** The connection itself, or one that undoes what was done to it when it is closed. Closes a connection that fails. */
    Connection prepare(Connection conn) throws SQLException {
        try {
            Found known = found;
            if (known == null) {
                known = ask(conn);
                found = known;
            }
            return known.needed.isAsItIs() ? conn : OwnConnection.begin(conn, known.needed, known.level);
        } catch (SQLException | RuntimeException e) {
            closeAfter(conn, e);
            throw e;
        }
    }

    private static Found ask(Connection conn) throws SQLException {
        int level = conn.getTransactionIsolation();
        return new Found(level, StoreFinder.get().ownIsolation(conn.getMetaData(), level));
    }

    private static void closeAfter(Connection conn, Exception failure) {
        try {
            conn.close();
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
