package outbox.jdbc.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import javax.sql.DataSource;

/** Notes the statements on a table that come through a data source. */
final class CountedStatements {

    private final String table;
    private final DataSource dataSource;
    private final Queue<String> statements = new ConcurrentLinkedQueue<>();
    private final AtomicInteger commits = new AtomicInteger();

    CountedStatements(DataSource real, String table) {
        this.table = table;
        this.dataSource = proxy(
                DataSource.class,
                real,
                (method, result) -> method.getName().equals("getConnection") ? counting((Connection) result) : result);
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** What came since the last call. */
    List<String> take() {
        List<String> all = new ArrayList<>();
        for (String next = statements.poll(); next != null; next = statements.poll()) {
            all.add(next);
        }
        return all;
    }

    /** How many transactions were committed, on whatever table. */
    int commits() {
        return commits.get();
    }

    private Connection counting(Connection conn) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("prepareStatement") && isOfTable((String) args[0])) {
                        statements.add((String) args[0]);
                    }
                    if (method.getName().equals("commit")) {
                        commits.incrementAndGet();
                    }
                    return call(conn, method, args);
                });
    }

    private boolean isOfTable(String sql) {
        return sql.contains(table) && !sql.contains(table + "_node") && !sql.contains(table + "_pause");
    }

    private static <T> T proxy(Class<T> type, T target, BiFunction<Method, Object, Object> result) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> result.apply(method, call(target, method, args))));
    }

    private static Object call(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
