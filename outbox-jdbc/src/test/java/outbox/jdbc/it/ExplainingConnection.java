package outbox.jdbc.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Asks the database for the plan of every statement that runs on a connection, with the very parameters it runs with. */
final class ExplainingConnection {

    private final Connection real;
    private final String explain;
    private final List<String> plans = new ArrayList<>();

    ExplainingConnection(Connection real) {
        this(real, "EXPLAIN ");
    }

    private ExplainingConnection(Connection real, String explain) {
        this.real = real;
        this.explain = explain;
    }

    /** Has each statement executed once more, to learn what it looks at. */
    static ExplainingConnection executing(Connection real) {
        return new ExplainingConnection(real, "EXPLAIN ANALYZE ");
    }

    List<String> plans() {
        return plans;
    }

    Connection connection() {
        return proxy(Connection.class, (method, args) -> {
            Object result = call(real, method, args);
            return method.getName().equals("prepareStatement")
                    ? explaining((PreparedStatement) result, (String) args[0])
                    : result;
        });
    }

    private PreparedStatement explaining(PreparedStatement statement, String sql) throws SQLException {
        PreparedStatement explain = real.prepareStatement(this.explain + sql);
        return proxy(PreparedStatement.class, (method, args) -> {
            String name = method.getName();
            if (name.startsWith("execute")) {
                plans.add(planOf(explain));
            } else if (name.startsWith("set") || name.equals("close")) {
                call(explain, method, args);
            }
            return call(statement, method, args);
        });
    }

    private static String planOf(PreparedStatement explain) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (ResultSet rows = explain.executeQuery()) {
            while (rows.next()) {
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    plan.append(rows.getString(i)).append(' ');
                }
                plan.append('\n');
            }
        }
        return plan.toString();
    }

    private interface Handler {
        Object handle(Method method, Object[] args) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> handler.handle(method, args)));
    }

    private static Object call(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
