package outbox.internal.dead;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection whose transaction somebody else ends: whoever is given it works in it, and can neither end it nor close the connection. */
final class OpenTransaction implements InvocationHandler {

    private static final Set<String> ENDS = Set.of("commit", "setAutoCommit", "abort");

    private final Connection connection;

    private OpenTransaction(Connection connection) {
        this.connection = connection;
    }

    static Connection on(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                OpenTransaction.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new OpenTransaction(connection));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        boolean rollsAllBack = name.equals("rollback") && method.getParameterCount() == 0;
        if (ENDS.contains(name) || rollsAllBack) {
            throw new SQLException(name
                    + "() was called on a connection whose transaction also marks the event DEAD, and which the outbox"
                    + " ends; return to let it be committed, throw to undo what you have done");
        }
        if (name.equals("close")) {
            return null;
        }
        try {
            return method.invoke(connection, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
