package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import outbox.spi.ConnectionProvider;

/** Takes connections from a {@link DataSource}. */
public final class DataSourceConnectionProvider implements ConnectionProvider {

    private final DataSource dataSource;

    /** Uses the given data source, usually a pool. */
    public DataSourceConnectionProvider(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    @Override
    public Connection getConnection() throws SQLException {
        return dataSource.getConnection();
    }
}
