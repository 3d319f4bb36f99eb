package outbox.jdbc.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the statements of a connection, also those that the driver makes of savepoints and of questions about levels, schemas and indexes. */
final class CountedRoundTrips {

    private static final Set<String> OF_CONNECTIONS =
            Set.of("prepareStatement", "createStatement", "setSavepoint", "getTransactionIsolation", "getSchema");
    private static final Set<String> OF_METADATA = Set.of("getIndexInfo", "getColumns", "getTables", "getPrimaryKeys");

    private CountedRoundTrips() {}

    static Connection of(Connection conn, AtomicInteger statements) {
        return proxy(Connection.class, (method, args) -> {
            boolean backToSavepoint = method.getName().equals("rollback") && args != null;
            if (OF_CONNECTIONS.contains(method.getName()) || backToSavepoint) {
                statements.incrementAndGet();
            }
            Object result = call(conn, method, args);
            return result instanceof DatabaseMetaData database ? of(database, statements) : result;
        });
    }

    private static DatabaseMetaData of(DatabaseMetaData database, AtomicInteger statements) {
        return proxy(DatabaseMetaData.class, (method, args) -> {
            if (OF_METADATA.contains(method.getName())) {
                statements.incrementAndGet();
            }
            return call(database, method, args);
        });
    }

    private interface Call {
        Object answer(Method method, Object[] args) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                CountedRoundTrips.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> call.answer(method, args)));
    }

    private static Object call(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
