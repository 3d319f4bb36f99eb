package outbox.benchmarks.database;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Behind a connection or one of its statements: passes every call on and tells the observer of executions and commits. */
final class ObservedConnection implements InvocationHandler {

    private final Connection connection;
    private final Object target;
    private final JdbcObserver observer;

    private ObservedConnection(Connection connection, Object target, JdbcObserver observer) {
        this.connection = connection;
        this.target = target;
        this.observer = observer;
    }

    static Connection observe(Connection connection, JdbcObserver observer) {
        return observer == JdbcObserver.NONE
                ? connection
                : proxy(Connection.class, new ObservedConnection(connection, connection, observer));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Object result = call(method, arguments);
        if (result instanceof CallableStatement statement) {
            return proxy(CallableStatement.class, new ObservedConnection(connection, statement, observer));
        }
        if (result instanceof PreparedStatement statement) {
            return proxy(PreparedStatement.class, new ObservedConnection(connection, statement, observer));
        }
        if (target == connection && result instanceof Statement statement) {
            return proxy(Statement.class, new ObservedConnection(connection, statement, observer));
        }
        tell(method.getName(), result);
        return result;
    }

    private @Nullable Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private void tell(String name, @Nullable Object result) throws Exception {
        if (target == connection) {
            if (name.equals("commit")) {
                observer.committed();
            }
        } else if (name.startsWith("execute")) {
            observer.executed(result instanceof int[] counts ? counts.length : 1);
            if (connection.getAutoCommit()) {
                observer.committed();
            }
        }
    }

    private static <T> T proxy(Class<T> type, ObservedConnection handler) {
        return type.cast(
                Proxy.newProxyInstance(ObservedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
