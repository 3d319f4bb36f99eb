package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
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
    private final OwnConnections own = new OwnConnections();
    private final Evictions evictions;

    /** Uses the given data source, usually a pool. */
    public DataSourceConnectionProvider(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.evictions = new Evictions(dataSource, System::nanoTime);
    }

    @Override
    public Connection getConnection() throws SQLException {
        return dataSource.getConnection();
    }

    @Override
    public Connection getConnectionForOwnWork() throws SQLException {
        evictions.lookForEnd();
        return own.prepare(dataSource.getConnection());
    }

    @Override
    public void discard(Connection connection) throws SQLException {
        evictions.evict(OwnConnection.targetOf(connection));
    }
}
