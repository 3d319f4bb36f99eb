package outbox.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Behind a connection that runs no SQL: remembers what to do when its transaction ends. */
final class InMemoryConnection implements InvocationHandler {

    private final List<Runnable> onCommit = new ArrayList<>();
    private final List<Runnable> onRollback = new ArrayList<>();
    private boolean autoCommit;
    private boolean closed;

    private InMemoryConnection(boolean autoCommit) {
        this.autoCommit = autoCommit;
    }

    static Connection open(boolean autoCommit) {
        return (Connection) Proxy.newProxyInstance(
                InMemoryConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new InMemoryConnection(autoCommit));
    }

    /** Runs one of the two when the connection's transaction ends; the first at once if it has none. */
    static void whenEnded(@Nullable Connection conn, Runnable committed, Runnable rolledBack) {
        InMemoryConnection state = stateOf(conn);
        if (state == null || state.autoCommit) {
            committed.run();
        } else {
            state.onCommit.add(committed);
            state.onRollback.add(0, rolledBack);
        }
    }

    static void commit(Connection conn) {
        endOf(conn, true);
    }

    static void rollback(Connection conn) {
        endOf(conn, false);
    }

    private static void endOf(Connection conn, boolean commit) {
        InMemoryConnection state = stateOf(conn);
        if (state != null) {
            state.end(commit);
        }
    }

    private static @Nullable InMemoryConnection stateOf(@Nullable Connection conn) {
        if (conn == null || !Proxy.isProxyClass(conn.getClass())) {
            return null;
        }
        return Proxy.getInvocationHandler(conn) instanceof InMemoryConnection state ? state : null;
    }

    private @Nullable Object end(boolean commit) {
        List<Runnable> actions = List.copyOf(commit ? onCommit : onRollback);
        onCommit.clear();
        onRollback.clear();
        actions.forEach(Runnable::run);
        return null;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args) throws SQLException {
        return switch (method.getName()) {
            case "getAutoCommit" -> autoCommit;
            case "isClosed" -> closed;
            case "setAutoCommit" -> setAutoCommit(args);
            case "commit" -> end(true);
            case "rollback" -> end(false);
            case "close" -> close();
            case "toString" -> "in-memory connection";
            case "hashCode" -> System.identityHashCode(this);
            case "equals" -> args != null && proxy == args[0];
            default ->
                throw new SQLException("An in-memory connection runs no SQL; " + method.getName() + " was called");
        };
    }

    private @Nullable Object setAutoCommit(Object @Nullable [] args) {
        end(true);
        autoCommit = args != null && Boolean.TRUE.equals(args[0]);
        return null;
    }

    private @Nullable Object close() {
        closed = true;
        return end(false);
    }
}
