package outbox.jdbc;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JdbcTemplateTest {

    private static final Instant TIME = Instant.parse("2026-03-29T01:30:00.123456Z");

    private Connection conn;

    @BeforeEach
    void createTable() throws SQLException {
        conn = DriverManager.getConnection("jdbc:h2:mem:");
        JdbcTemplate.update(conn, "CREATE TABLE t (id INT, at TIMESTAMP(6), name VARCHAR(10))");
    }

    @AfterEach
    void disconnect() throws SQLException {
        conn.close();
    }

    @Test
    void a_time_comes_back_as_it_was_written_whatever_the_zone_of_the_jvm() throws SQLException {
        JdbcTemplate.update(conn, "INSERT INTO t VALUES (?, ?, ?)", 1, TIME, "x");

        assertThat(JdbcTemplate.query(conn, "SELECT at FROM t", row -> JdbcTemplate.getInstant(row, "at")))
                .containsExactly(TIME);
        assertThat(JdbcTemplate.query(conn, "SELECT CAST(at AS VARCHAR) FROM t", row -> row.getString(1)))
                .containsExactly("2026-03-29 01:30:00.123456");
    }

    @Test
    void a_missing_time_is_null() throws SQLException {
        JdbcTemplate.update(conn, "INSERT INTO t (id) VALUES (?)", 1);

        assertThat(JdbcTemplate.query(conn, "SELECT at FROM t", row -> JdbcTemplate.getInstant(row, "at")))
                .containsOnlyNulls();
    }

    @Test
    void a_limit_of_time_is_set_only_where_there_is_one_and_not_missed_where_the_driver_has_none() throws SQLException {
        List<String> calls = new ArrayList<>();
        Connection without = withoutTimeouts(calls);
        JdbcTemplate.update(without, "INSERT INTO t (id) VALUES (?)", 1);
        assertThat(calls).isEmpty();

        assertThat(JdbcTemplate.updateWithin(2, without, "INSERT INTO t (id) VALUES (?)", 2))
                .isEqualTo(1);
        assertThat(JdbcTemplate.batchUpdateCountsWithin(
                        3, without, "INSERT INTO t (id) VALUES (?)", List.of(new Object[] {3}, new Object[] {4})))
                .containsExactly(1, 1);
        assertThat(calls).containsExactly("2", "3");
    }

    /** A driver that cannot limit statements. */
    private Connection withoutTimeouts(List<String> calls) {
        return proxy(Connection.class, conn, (method, args) -> {
            Object result = method.invoke(conn, args);
            return !(result instanceof PreparedStatement statement)
                    ? result
                    : proxy(PreparedStatement.class, statement, (inner, innerArgs) -> {
                        if (inner.getName().equals("setQueryTimeout")) {
                            calls.add(String.valueOf(innerArgs[0]));
                            throw new SQLFeatureNotSupportedException("setQueryTimeout");
                        }
                        return inner.invoke(statement, innerArgs);
                    });
        });
    }

    private interface Handler {
        Object call(Method method, Object[] args) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, T target, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                target.getClass().getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> handler.call(method, args)));
    }

    @Test
    void a_batch_runs_once_for_each_set_of_parameters() throws SQLException {
        int rows = JdbcTemplate.batchUpdate(
                conn, "INSERT INTO t VALUES (?, ?, ?)", List.of(new Object[] {1, TIME, "a"}, new Object[] {2, TIME, "b"
                }));

        assertThat(rows).isEqualTo(2);
        assertThat(JdbcTemplate.query(conn, "SELECT name FROM t ORDER BY id", row -> row.getString(1)))
                .containsExactly("a", "b");
    }
}
