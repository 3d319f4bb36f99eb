package outbox.jdbc.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

/** Lets something happen just before a certain statement runs. */
final class StoppedConnection {

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
        return (Connection) Proxy.newProxyInstance(
                StoppedConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("prepareStatement")) {
                        action.before((String) args[0]);
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
