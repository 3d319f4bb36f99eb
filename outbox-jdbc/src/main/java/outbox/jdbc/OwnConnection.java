package outbox.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A connection on another isolation level than its pool's until it is closed. */
final class OwnConnection implements InvocationHandler {

    private final Connection target;
    private final OwnIsolation isolation;
    private final int foundLevel;
    private final boolean foundAutoCommit;

    private OwnConnection(Connection target, OwnIsolation isolation, int foundLevel) throws SQLException {
        this.target = target;
        this.isolation = isolation;
        this.foundLevel = foundLevel;
        this.foundAutoCommit = target.getAutoCommit();
    }

    static Connection begin(Connection target, OwnIsolation isolation, int foundLevel) throws SQLException {
        OwnConnection own = new OwnConnection(target, isolation, foundLevel);
        own.begin();
        return (Connection)
                Proxy.newProxyInstance(OwnConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, own);
    }

    /** The pool's connection behind the given one, which may be the same. */
    static Connection targetOf(Connection conn) {
        return Proxy.isProxyClass(conn.getClass()) && Proxy.getInvocationHandler(conn) instanceof OwnConnection own
                ? own.target
                : conn;
    }

    private void begin() throws SQLException {
        if (!foundAutoCommit) {
            target.rollback(); // what the pool may have begun: the level can be chosen only at the beginning
        }
        if (isolation.forTransactionOnly()) {
            target.setAutoCommit(false);
            JdbcTemplate.update(target, "SET TRANSACTION ISOLATION LEVEL " + nameOf(isolation.level()));
        } else {
            target.setTransactionIsolation(isolation.level());
        }
    }

    private static String nameOf(int level) {
        return switch (level) {
            case Connection.TRANSACTION_READ_UNCOMMITTED -> "READ UNCOMMITTED";
            case Connection.TRANSACTION_READ_COMMITTED -> "READ COMMITTED";
            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
            default -> "SERIALIZABLE";
        };
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        if (method.getName().equals("close")) {
            close();
            return null;
        }
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** One that cannot be restored must not be given to the application. */
    private void close() throws SQLException {
        try (target) {
            if (!target.isClosed()) {
                restore();
            }
        } catch (SQLException e) {
            target.abort(Runnable::run);
            throw e;
        }
    }

    private void restore() throws SQLException {
        if (!target.getAutoCommit()) {
            target.rollback(); // nothing, if the work was committed
        }
        if (isolation.forTransactionOnly()) {
            target.setAutoCommit(foundAutoCommit);
        } else {
            target.setTransactionIsolation(foundLevel);
        }
    }
}
