package outbox.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Connections for the outbox's own work, on one physical connection that a pool would hand out again and again. */
class DataSourceConnectionProviderTest {

    private final List<String> calls = new ArrayList<>();
    private Connection physical;
    private DataSourceConnectionProvider connections;

    @BeforeEach
    void connect() throws SQLException {
        physical = DriverManager.getConnection("jdbc:h2:mem:");
        connections = new DataSourceConnectionProvider(proxy(DataSource.class, null, (method, args) -> handedOut()));
    }

    @AfterEach
    void disconnect() throws SQLException {
        physical.close();
    }

    private Connection handedOut() {
        return proxy(Connection.class, physical, (method, args) -> {
            calls.add(method);
            return null;
        });
    }

    private interface Seen {
        Object call(String method, Object[] args);
    }

    /** Calls go to the target, if there is one; closing does not. */
    private static <T> T proxy(Class<T> type, T target, Seen seen) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            Object answer = seen.call(method.getName(), args);
            if (target == null || method.getName().equals("close")) {
                return answer;
            }
            try {
                return method.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    @Test
    void a_connection_on_the_right_level_is_left_alone_and_only_the_first_is_asked() throws SQLException {
        for (int i = 0; i < 3; i++) {
            connections.getConnectionForOwnWork().close();
        }
        assertThat(calls).containsExactly("getTransactionIsolation", "getMetaData", "close", "close", "close");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void own_work_is_on_its_own_level_and_the_application_on_that_of_the_pool(boolean autoCommit) throws SQLException {
        physical.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        physical.setAutoCommit(autoCommit);
        for (int i = 0; i < 2; i++) {
            try (Connection own = connections.getConnectionForOwnWork()) {
                assertThat(own.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
                assertThat(own.getAutoCommit()).isEqualTo(autoCommit);
            }
            assertThat(physical.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(connections.getConnection().getTransactionIsolation())
                    .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(physical.getAutoCommit()).isEqualTo(autoCommit);
        }
    }

    @Test
    void what_was_not_committed_on_it_is_rolled_back() throws SQLException {
        JdbcTemplate.update(physical, "CREATE TABLE t (id INT)");
        physical.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        physical.setAutoCommit(false);
        try (Connection own = connections.getConnectionForOwnWork()) {
            JdbcTemplate.update(own, "INSERT INTO t VALUES (1)");
        }
        physical.commit();
        assertThat(JdbcTemplate.query(physical, "SELECT id FROM t", row -> row.getInt(1)))
                .isEmpty();
    }

    @Test
    void a_connection_that_cannot_be_asked_is_closed() throws SQLException {
        physical.close();
        assertThatThrownBy(connections::getConnectionForOwnWork).isInstanceOf(SQLException.class);
        assertThat(calls).endsWith("close");
    }

    @Test
    void without_a_pool_a_connection_that_cannot_write_is_aborted() throws SQLException {
        connections.discard(connections.getConnection());
        assertThat(calls).containsExactly("abort", "close");
    }

    @Test
    void the_connection_behind_one_on_another_level_is_discarded() throws SQLException {
        physical.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        Connection own = connections.getConnectionForOwnWork();
        calls.clear();
        connections.discard(own);
        assertThat(calls).containsExactly("abort", "close");
    }
}
