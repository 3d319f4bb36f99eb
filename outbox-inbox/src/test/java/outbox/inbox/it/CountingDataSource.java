package outbox.inbox.it;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Counts statements, and commits: those that were asked for and those of statements that commit themselves. */
final class CountingDataSource implements DataSource {

    private final DataSource target;
    private final AtomicInteger statements = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();

    CountingDataSource(DataSource target) {
        this.target = target;
    }

    /** What was counted. */
    record Costs(int statements, int commits) {}

    Costs costs() {
        return new Costs(statements.get(), commits.get());
    }

    void reset() {
        statements.set(0);
        commits.set(0);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection conn = target.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    boolean statement = method.getName().equals("prepareStatement")
                            || method.getName().equals("createStatement");
                    if (statement) {
                        statements.incrementAndGet();
                    }
                    if (method.getName().equals("commit") || (statement && conn.getAutoCommit())) {
                        commits.incrementAndGet();
                    }
                    try {
                        return method.invoke(conn, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public Connection getConnection(String username, String password) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PrintWriter getLogWriter() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLoginTimeout(int seconds) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        throw new UnsupportedOperationException();
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
