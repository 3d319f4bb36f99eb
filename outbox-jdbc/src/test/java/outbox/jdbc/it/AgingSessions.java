package outbox.jdbc.it;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Where a pool gets its connections from, and a server in two: what is connected can be made read-only, and what connects from then on. */
final class AgingSessions implements DataSource {

    static final String READ_ONLY = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY";

    private final TestedDatabase.Address address;
    private final List<Connection> opened = new CopyOnWriteArrayList<>();
    private volatile boolean newOnesReadOnly;

    AgingSessions(TestedDatabase database) {
        this.address = database.database();
    }

    /** As a primary that has become a replica, and is still there for those who are connected. */
    void makeReadOnly() throws SQLException {
        for (Connection conn : opened) {
            if (!conn.isClosed()) {
                makeReadOnly(conn);
            }
        }
    }

    void makeNewOnesReadOnly(boolean readOnly) {
        newOnesReadOnly = readOnly;
    }

    int opened() {
        return opened.size();
    }

    private static void makeReadOnly(Connection conn) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            statement.execute(READ_ONLY);
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection conn = DriverManager.getConnection(address.url(), address.user(), address.password());
        if (newOnesReadOnly) {
            makeReadOnly(conn);
        }
        opened.add(conn);
        return conn;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    /** As Spring's DelegatingDataSource: not the pool, but leading to it. */
    static DataSource delegatingTo(DataSource pool) {
        return (DataSource) Proxy.newProxyInstance(
                AgingSessions.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (method.getName().equals("unwrap") && ((Class<?>) args[0]).isInstance(pool)) {
                        return pool;
                    }
                    if (method.getName().equals("isWrapperFor") && ((Class<?>) args[0]).isInstance(pool)) {
                        return true;
                    }
                    try {
                        return method.invoke(pool, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("no wrapper");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
