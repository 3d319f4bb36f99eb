package outbox.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.SafeLog;

/** HikariCP, if the application has it: only its own methods take a connection out of the pool. */
final class HikariPool {

    private static final Logger LOG = SafeLog.of(DataSourceConnectionProvider.class);
    private static final String DATA_SOURCE = "com.zaxxer.hikari.HikariDataSource";
    private static final String BEAN = "com.zaxxer.hikari.HikariPoolMXBean";

    private final Class<?> type;
    private final Object pool;

    private HikariPool(Class<?> type, Object pool) {
        this.type = type;
        this.pool = pool;
    }

    /** The pool that the data source is, or wraps as Spring's data sources do; null if there is none. */
    static @Nullable HikariPool of(DataSource dataSource) {
        try {
            Class<?> type = Class.forName(DATA_SOURCE, false, loaderOf(dataSource));
            if (type.isInstance(dataSource)) {
                return new HikariPool(type, dataSource);
            }
            return dataSource.isWrapperFor(type) ? new HikariPool(type, dataSource.unwrap(type)) : null;
        } catch (ClassNotFoundException | LinkageError | SQLException | RuntimeException e) {
            return null;
        }
    }

    private static ClassLoader loaderOf(DataSource dataSource) {
        ClassLoader loader = dataSource.getClass().getClassLoader();
        return loader == null ? HikariPool.class.getClassLoader() : loader;
    }

    /** Returns false if the connection is not one of the pool's: somebody in between may have wrapped it. */
    boolean evict(Connection conn) {
        return call(
                "evict a connection",
                () -> type.getMethod("evictConnection", Connection.class).invoke(pool, conn));
    }

    /** Those that are in use go when they are given back. */
    void evictAll() {
        call("evict all connections", () -> {
            Object bean = type.getMethod("getHikariPoolMXBean").invoke(pool);
            Method evictAll = Class.forName(BEAN, false, type.getClassLoader()).getMethod("softEvictConnections");
            return evictAll.invoke(bean);
        });
    }

    @FunctionalInterface
    private interface Call {
        @Nullable
        Object run() throws ReflectiveOperationException;
    }

    private static boolean call(String what, Call call) {
        try {
            call.run();
            return true;
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.log(Level.DEBUG, "HikariCP cannot " + what, e);
            return false;
        }
    }
}
