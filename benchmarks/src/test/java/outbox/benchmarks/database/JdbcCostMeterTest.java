package outbox.benchmarks.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.benchmarks.candidate.Business;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What is counted in the client is what was done. */
class JdbcCostMeterTest {

    private final H2BenchServer server = H2BenchServer.start();
    private Scratch database;

    @BeforeEach
    void createTable() throws SQLException {
        database = server.newScratch();
        database.execute(Business.DDL);
        database.meter().begin();
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
        server.close();
    }

    @Test
    void statements_of_all_kinds_and_explicit_commits_are_counted() throws SQLException {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            insert(connection, 1);
            try (Statement statement = connection.createStatement()) {
                statement.executeQuery("SELECT 1").close();
            }
            connection.commit();
        }
        assertThat(costs()).extracting(Costs::statements, Costs::commits).containsExactly(2L, 1L);
    }

    @Test
    void each_statement_of_a_batch_counts() throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(Business.INSERT)) {
            connection.setAutoCommit(false);
            for (int id = 0; id < 5; id++) {
                statement.setLong(1, id);
                statement.setString(2, "note");
                statement.addBatch();
            }
            statement.executeBatch();
            connection.commit();
        }
        assertThat(costs()).extracting(Costs::statements, Costs::commits).containsExactly(5L, 1L);
    }

    @Test
    void in_autocommit_mode_each_statement_is_a_commit_also_in_a_pool() throws SQLException {
        try (Pool pool = database.openPool();
                Connection connection = pool.dataSource().getConnection()) {
            insert(connection, 1);
            insert(connection, 2);
        }
        assertThat(costs()).extracting(Costs::statements, Costs::commits).containsExactly(2L, 2L);
    }

    @Test
    void what_the_harness_asks_does_not_count() throws SQLException {
        assertThat(database.count("SELECT count(*) FROM business_order")).isZero();
        assertThat(costs().statements()).isZero();
    }

    @Test
    void an_error_of_the_database_comes_through_as_it_is() throws SQLException {
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> connection.prepareStatement("nonsense")).isInstanceOf(SQLException.class);
        }
    }

    private Costs costs() throws SQLException {
        return database.meter().end();
    }

    private static void insert(Connection connection, int id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(Business.INSERT)) {
            statement.setLong(1, id);
            statement.setString(2, "note");
            statement.executeUpdate();
        }
    }
}
