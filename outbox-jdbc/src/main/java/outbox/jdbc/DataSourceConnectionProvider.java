package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;

/**
 * Takes connections from a {@link DataSource}.
 *
 * <p>Those for the outbox's own work are on the isolation level that it needs, whatever the data source's; see {@link OwnIsolation}. Those that
 * cannot write are taken out of the pool: by HikariCP's own means if the data source is one of its pools or wraps one, otherwise by
 * {@link Connection#abort}.
 */
public final class DataSourceConnectionProvider implements ConnectionProvider {

    private final DataSource dataSource;
    private volatile @Nullable Levels levels;
    private volatile @Nullable Evictions evictions;

    /** The level that connections come with, and the one that own work needs; null if that is the same. */
    private record Levels(int found, @Nullable OwnIsolation needed) {}

    /** Uses the given data source, usually a pool. */
    public DataSourceConnectionProvider(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    @Override
    public Connection getConnection() throws SQLException {
        return dataSource.getConnection();
    }

    @Override
    public Connection getConnectionForOwnWork() throws SQLException {
        Evictions begun = evictions;
        if (begun != null) {
            begun.lookForEnd();
        }
        return onNeededLevel(dataSource.getConnection());
    }

    /** {@inheritDoc} Known for HikariCP, DBCP2, Tomcat's pool, c3p0 and Agroal. */
    @Override
    public OptionalInt maxConnections() {
        return KnownPool.of(dataSource).size();
    }

    @Override
    public Object source() {
        return KnownPool.of(dataSource).pool();
    }

    /** The connection itself, or one that undoes what was done to it when it is closed. Closes a connection that fails. */
    private Connection onNeededLevel(Connection conn) throws SQLException {
        try {
            Levels known = levels;
            if (known == null) {
                known = ask(conn);
                levels = known;
            }
            OwnIsolation needed = known.needed;
            return needed == null ? conn : OwnConnection.begin(conn, needed, known.found);
        } catch (SQLException | RuntimeException e) {
            closeAfter(conn, e);
            throw e;
        }
    }

    /** Asked of the first connection only: it costs a round trip, and is the pool's to decide. */
    private static Levels ask(Connection conn) throws SQLException {
        int found = conn.getTransactionIsolation();
        OwnIsolation needed = StoreFinder.get().ownIsolation(conn.getMetaData(), found);
        return new Levels(found, needed.isAsItIs() ? null : needed);
    }

    private static void closeAfter(Connection conn, Exception failure) {
        try {
            conn.close();
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public void discard(Connection connection) throws SQLException {
        evictions().evict(OwnConnection.targetOf(connection));
    }

    /** There are none until a connection cannot write. */
    private synchronized Evictions evictions() {
        Evictions begun = evictions;
        if (begun == null) {
            begun = new Evictions(dataSource, System::nanoTime);
            evictions = begun;
        }
        return begun;
    }
}
