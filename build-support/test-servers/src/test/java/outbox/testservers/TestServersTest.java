package outbox.testservers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class TestServersTest {

    private static final Map<ServerKind, String> VERSIONS =
            Map.of(ServerKind.POSTGRESQL, "18.", ServerKind.MYSQL, "8.0.", ServerKind.MARIADB, "11.4.");

    @ParameterizedTest
    @EnumSource
    void server_answers_and_has_the_promised_version(ServerKind kind) throws SQLException {
        TestDatabase database = TestServers.of(kind);

        assertThat(value(database, "SELECT 1")).isEqualTo("1");
        assertThat(version(database)).startsWith(VERSIONS.get(kind));
    }

    @ParameterizedTest
    @EnumSource
    void server_admits_200_connections(ServerKind kind) throws SQLException {
        String query = kind == ServerKind.POSTGRESQL ? "SHOW max_connections" : "SELECT @@max_connections";

        assertThat(Integer.parseInt(value(TestServers.of(kind), query))).isGreaterThanOrEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void fresh_databases_are_distinct_and_empty(ServerKind kind) throws SQLException {
        TestDatabase first = TestServers.of(kind).fresh("distinct");
        TestDatabase second = TestServers.of(kind).fresh("distinct");

        update(first, "CREATE TABLE t (id INT PRIMARY KEY)");
        update(second, "CREATE TABLE t (id INT PRIMARY KEY)");
        update(first, "INSERT INTO t VALUES (1)");

        assertThat(value(first, "SELECT COUNT(*) FROM t")).isEqualTo("1");
        assertThat(value(second, "SELECT COUNT(*) FROM t")).isEqualTo("0");
        assertThat(first.name()).isNotEqualTo(second.name()).startsWith("distinct_");
    }

    @ParameterizedTest
    @EnumSource
    void database_is_dropped_in_spite_of_an_open_connection(ServerKind kind) throws SQLException {
        TestDatabase database = TestServers.of(kind);
        TestDatabase dropped = database.fresh("dropped");

        try (Connection open = dropped.connect()) {
            assertThat(open.isValid(5)).isTrue();
            database.dropDatabase(dropped.name());
        }

        assertThatThrownBy(dropped::connect).isInstanceOf(SQLException.class);
    }

    @ParameterizedTest
    @EnumSource
    void text_outside_of_latin_is_stored(ServerKind kind) throws SQLException {
        TestDatabase database = TestServers.of(kind).fresh("text");
        update(database, "CREATE TABLE t (word VARCHAR(20))");
        update(database, "INSERT INTO t VALUES ('žluť 🐎')");

        assertThat(value(database, "SELECT word FROM t")).isEqualTo("žluť 🐎");
    }

    @Test
    void mariadb_is_reached_through_the_driver_of_mysql() throws SQLException {
        TestDatabase database = TestServers.mariadb().fresh("driver").withUrlPrefix("jdbc:mysql:");

        try (Connection connection = database.connect()) {
            assertThat(connection.getMetaData().getDriverName()).contains("MySQL");
        }
        assertThat(value(database, "SELECT version()")).contains("MariaDB");
    }

    @Test
    void server_that_died_is_started_again_by_the_next_request() throws SQLException {
        TestDatabase before = TestServers.mariadb();
        update(before, "CREATE TABLE IF NOT EXISTS survivor (id INT)");
        String pidFile = value(before, "SELECT @@pid_file");
        ProcessHandle server = Processes.readPid(pidFile);

        server.destroyForcibly();
        Processes.awaitGone(server);
        TestDatabase after = TestServers.mariadb();

        assertThat(after).isEqualTo(before);
        assertThat(value(after, "SELECT COUNT(*) FROM survivor")).isEqualTo("0");
    }

    private static String version(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect()) {
            return connection.getMetaData().getDatabaseProductVersion();
        }
    }

    private static void update(TestDatabase database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String value(TestDatabase database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }
}
