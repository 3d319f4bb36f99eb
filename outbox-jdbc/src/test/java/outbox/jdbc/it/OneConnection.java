package outbox.jdbc.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The simplest of pools: always the same connection, which comes back exactly as its user left it. */
final class OneConnection implements AutoCloseable {

    final Connection physical;
    private volatile boolean borrowed;

    OneConnection(TestedDatabase database) throws SQLException {
        TestedDatabase.Address address = database.database();
        physical = DriverManager.getConnection(address.url(), address.user(), address.password());
    }

    boolean isBorrowed() {
        return borrowed;
    }

    DataSource pool() {
        return proxy(DataSource.class, (method, args) -> {
            if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
            }
            borrowed = true;
            return proxy(Connection.class, this::onConnection);
        });
    }

    private Object onConnection(Method method, Object[] args) throws Throwable {
        if (method.getName().equals("close")) {
            borrowed = false;
            return null;
        }
        try {
            return method.invoke(physical, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private interface Call {
        Object answer(Method method, Object[] args) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                OneConnection.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> call.answer(method, args)));
    }

    @Override
    public void close() throws SQLException {
        physical.close();
    }
}
