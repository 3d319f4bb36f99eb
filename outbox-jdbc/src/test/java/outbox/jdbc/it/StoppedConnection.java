package outbox.jdbc.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Lets something happen just before a certain statement runs. */
final class StoppedConnection {

    /** What an action is told before a commit. */
    static final String COMMIT = "COMMIT";

    /** What happens; may be an error of the database. */
    @FunctionalInterface
    interface Action {
        void run() throws SQLException;
    }

    /** What happens before a statement. */
    @FunctionalInterface
    interface StatementAction {
        void before(String sql) throws SQLException;
    }

    private StoppedConnection() {}

    /** Calls the action whenever a statement is prepared that contains the text. */
    static Connection before(Connection real, String text, Action action) {
        return beforeEach(real, sql -> {
            if (sql.contains(text)) {
                action.run();
            }
        });
    }

    /** Calls the action whenever a statement is prepared. */
    static Connection beforeEach(Connection real, StatementAction action) {
        return proxy(Connection.class, (method, args) -> {
            if (method.getName().equals("prepareStatement")) {
                action.before((String) args[0]);
            }
            return call(real, method, args);
        });
    }

    /** Calls the action whenever a statement is prepared, and with {@link #COMMIT} before each commit, on all connections. */
    static DataSource beforeEachAndCommit(DataSource real, StatementAction action) {
        return proxy(DataSource.class, (method, args) -> {
            Object result = call(real, method, args);
            return result instanceof Connection conn ? withCommit(beforeEach(conn, action), action) : result;
        });
    }

    private static Connection withCommit(Connection real, StatementAction action) {
        return proxy(Connection.class, (method, args) -> {
            if (method.getName().equals("commit")) {
                action.before(COMMIT);
            }
            return call(real, method, args);
        });
    }

    private interface Call {
        Object of(Method method, Object[] args) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                StoppedConnection.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> call.of(method, args)));
    }

    private static Object call(Object real, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(real, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
