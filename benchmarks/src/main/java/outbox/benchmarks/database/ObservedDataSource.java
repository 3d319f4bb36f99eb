package outbox.benchmarks.database;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Hands out observed connections of another data source. */
final class ObservedDataSource implements DataSource {

    private final DataSource target;
    private final JdbcObserver observer;

    ObservedDataSource(DataSource target, JdbcObserver observer) {
        this.target = target;
        this.observer = observer;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return ObservedConnection.observe(target.getConnection(), observer);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return ObservedConnection.observe(target.getConnection(user, password), observer);
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return target.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        target.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        target.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return target.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger(ObservedDataSource.class.getName());
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return target.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return target.isWrapperFor(type);
    }
}
