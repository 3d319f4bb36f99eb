package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.relay.JdbcRelayLocks;
import outbox.spi.RelayLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What is special about a lock that an open transaction holds. */
class PostgresRelayLockIT {

    private static final TableName TABLE = TableName.of("relay_outbox");

    private final TestedDatabase database = TestedDatabase.POSTGRESQL;
    private final DataSource pool = database.pool();

    @BeforeEach
    void createTable() {
        Tables.shipped(database, TABLE.table());
    }

    @ParameterizedTest
    @CsvSource({
        "TRANSACTION_READ_COMMITTED, true",
        "TRANSACTION_REPEATABLE_READ, true",
        "TRANSACTION_SERIALIZABLE, false"
    })
    void it_does_not_hold_back_vacuum_whatever_the_level_of_the_pool(String level, boolean autoCommit)
            throws SQLException {
        try (HikariDataSource one = database.newPool(1, config -> {
                    config.setTransactionIsolation(level);
                    config.setAutoCommit(autoCommit);
                });
                RelayLock lock = JdbcRelayLocks.forTable(one, TABLE)) {
            String session = new Sessions(database).of(one);
            assertThat(lock.tryHold()).isTrue();
            assertHasNoSnapshot(session);
            for (int i = 0; i < 10; i++) { // the driver changes its ways when a statement comes often
                assertThat(lock.tryHold()).isTrue();
            }
            assertHasNoSnapshot(session);
        }
    }

    @Test
    void it_does_not_go_on_with_a_transaction_that_the_pool_has_begun() throws SQLException {
        try (OneConnection one = new OneConnection(database)) {
            String session = new Sessions(database).of(one.pool());
            RelayLock lock = JdbcRelayLocks.forTable(one.pool(), TABLE);
            one.physical.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            one.physical.setAutoCommit(false);
            JdbcTemplate.query(one.physical, "SELECT count(*) FROM pg_class", row -> row.getInt(1));

            assertThat(lock.tryHold()).isTrue();
            assertHasNoSnapshot(session);
            lock.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"idle_in_transaction_session_timeout", "transaction_timeout"})
    void it_outlasts_the_time_that_the_server_grants_transactions(String limit) throws SQLException {
        try (HikariDataSource one =
                        database.newPool(1, config -> config.setConnectionInitSql("SET " + limit + " = '100ms'"));
                RelayLock lock = JdbcRelayLocks.forTable(one, TABLE)) {
            String session = new Sessions(database).of(one);
            assertThat(lock.tryHold()).isTrue();

            awaitIdle(session, 500);

            assertThat(lock.tryHold()).isTrue();
            lock.close();
            assertThat(new Sessions(database).of(one)).isEqualTo(session);
            assertThat(Tables.select(one, "SHOW " + limit)).containsExactly("100ms");
        }
    }

    /** Until the server says that the session has done nothing for so many milliseconds, or is not there any more. */
    private void awaitIdle(String session, int millis) {
        while (activity(session, "clock_timestamp() - state_change < interval '" + millis + " ms'")
                .contains("t")) {
            Tables.select(pool, "SELECT pg_sleep(0.02)");
        }
    }

    private void assertHasNoSnapshot(String session) {
        assertThat(activity(session, "state")).containsExactly("idle in transaction");
        assertThat(activity(session, "backend_xmin")).containsOnlyNulls();
        assertThat(activity(session, "backend_xid")).containsOnlyNulls();
    }

    private List<String> activity(String session, String column) {
        return Tables.select(pool, "SELECT " + column + " FROM pg_stat_activity WHERE pid = " + session);
    }

    @Test
    void a_free_lock_leaves_no_transaction_open() throws SQLException {
        try (OneConnection one = new OneConnection(database)) {
            String session = new Sessions(database).of(one.pool());
            RelayLock lock = JdbcRelayLocks.forTable(one.pool(), TABLE);
            assertThat(lock.tryHold()).isTrue();
            lock.close();

            assertThat(activity(session, "state")).containsExactly("idle");
        }
    }

    @Test
    void tables_of_one_name_in_two_schemas_have_two_locks_and_a_name_without_schema_means_the_same_table()
            throws SQLException {
        TableName first = TableName.of("relay_one", TABLE.table());
        TableName second = TableName.of("relay_two", TABLE.table());
        for (TableName table : List.of(first, second)) {
            Tables.execute(
                    pool, "DROP SCHEMA IF EXISTS " + table.schema() + " CASCADE", "CREATE SCHEMA " + table.schema());
            try (Connection conn = pool.getConnection()) {
                OutboxSchema.create(conn, "postgresql", table);
            }
        }
        try (HikariDataSource inFirst = database.newPool(1, config -> config.setSchema("relay_one"));
                RelayLock lock1 = JdbcRelayLocks.forTable(pool, first);
                RelayLock lock2 = JdbcRelayLocks.forTable(pool, second);
                RelayLock unnamed = JdbcRelayLocks.forTable(inFirst, TABLE)) {
            assertThat(lock1.tryHold()).isTrue();
            assertThat(lock2.tryHold()).isTrue();
            assertThat(unnamed.tryHold()).isFalse();
        }
    }

    @Test
    void a_table_that_is_missing_is_an_error_and_costs_no_connection() {
        try (HikariDataSource one = database.newPool(1, true);
                RelayLock lock = JdbcRelayLocks.forTable(one, TableName.of("no_such_table"))) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(lock::tryHold)
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("no_such_table");
            }
            assertThat(one.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }
}
