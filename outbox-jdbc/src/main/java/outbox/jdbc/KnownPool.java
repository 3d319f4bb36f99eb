package outbox.jdbc;

import java.sql.SQLException;
import java.util.List;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The pool behind a data source, recognised by the names of its classes, so that none of them is needed here.
 *
 * @param pool the pool itself, or the data source if it is none that is known; to be compared by identity
 * @param size the most connections that it has; empty if unknown or without limit
 */
record KnownPool(Object pool, OptionalInt size) {

    /** A class of a pool and how it is asked for its size, one call after the other. */
    private record Kind(String type, List<String> calls) {

        Kind(String type, String... calls) {
            this(type, List.of(calls));
        }
    }

    private static final List<Kind> KINDS = List.of(
            new Kind("com.zaxxer.hikari.HikariDataSource", "getMaximumPoolSize"),
            new Kind("org.apache.commons.dbcp2.BasicDataSource", "getMaxTotal"),
            new Kind("org.apache.tomcat.dbcp.dbcp2.BasicDataSource", "getMaxTotal"),
            new Kind("org.apache.tomcat.jdbc.pool.DataSourceProxy", "getMaxActive"),
            new Kind("com.mchange.v2.c3p0.ComboPooledDataSource", "getMaxPoolSize"),
            new Kind("io.agroal.api.AgroalDataSource", "getConfiguration", "connectionPoolConfiguration", "maxSize"));

    /** The pool that the data source is, or wraps as Spring's data sources do. */
    static KnownPool of(DataSource dataSource) {
        for (Kind kind : KINDS) {
            Class<?> type = typeOf(kind, dataSource);
            Object pool = type == null ? null : poolBehind(dataSource, type);
            if (type != null && pool != null) {
                return new KnownPool(pool, size(pool, type, kind.calls));
            }
        }
        return new KnownPool(dataSource, OptionalInt.empty());
    }

    private static @Nullable Class<?> typeOf(Kind kind, DataSource dataSource) {
        ClassLoader loader = dataSource.getClass().getClassLoader();
        try {
            return Class.forName(kind.type, false, loader == null ? KnownPool.class.getClassLoader() : loader);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    private static @Nullable Object poolBehind(DataSource dataSource, Class<?> type) {
        try {
            if (type.isInstance(dataSource)) {
                return dataSource;
            }
            return dataSource.isWrapperFor(type) ? dataSource.unwrap(type) : null;
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            return null;
        }
    }

    /** Negative and zero mean no limit to some. */
    private static OptionalInt size(Object pool, Class<?> type, List<String> calls) {
        try {
            Object answer = pool;
            Class<?> asked = type;
            for (String call : calls) {
                var method = asked.getMethod(call);
                answer = method.invoke(answer);
                asked = method.getReturnType();
            }
            return answer instanceof Integer size && size > 0 ? OptionalInt.of(size) : OptionalInt.empty();
        } catch (ReflectiveOperationException | RuntimeException e) {
            return OptionalInt.empty();
        }
    }
}
