package outbox.testservers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.testservers.processes.TestServerException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class DatabaseServerTest {

    @ParameterizedTest
    @EnumSource
    void committed_row_survives_kill_and_restart(ServerKind kind) throws SQLException {
        try (DatabaseServer server = kind.server(settings("killed").withDurability())) {
            server.start();
            long first = server.pid();
            execute(server, "CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (42)");

            server.kill();
            assertThat(server.isRunning()).isFalse();
            assertThatThrownBy(() -> server.database().connect()).isInstanceOf(SQLException.class);
            server.start();

            assertThat(server.pid()).isNotEqualTo(first);
            assertThat(number(server, "SELECT id FROM t")).isEqualTo(42);
        }
    }

    @Test
    void stopped_server_starts_again_and_may_be_stopped_twice() throws SQLException {
        try (DatabaseServer server = new PostgresServer(settings("stopped"))) {
            server.stop();
            server.start();
            server.start();
            execute(server, "CREATE TABLE t (id INT)", "INSERT INTO t VALUES (1)");
            try (Connection idle = server.database().connect()) {
                assertThat(idle.isValid(5)).isTrue();
                server.stop();
                server.stop();
            }
            assertThat(server.isRunning()).isFalse();
            server.start();

            assertThat(number(server, "SELECT COUNT(*) FROM t")).isEqualTo(1);
        }
    }

    @Test
    void server_listens_on_loopback_only_and_takes_options() throws SQLException {
        try (DatabaseServer server =
                new PostgresServer(settings("options").withDurability().withOption("wal_level", "logical"))) {
            server.start();

            assertThat(text(server, "SHOW wal_level")).isEqualTo("logical");
            assertThat(text(server, "SHOW fsync")).isEqualTo("on");
            assertThat(text(server, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(text(server, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void server_that_does_not_start_shows_the_end_of_its_log(ServerKind kind) {
        try (DatabaseServer server = kind.server(settings("refused").withOption("no_such_option", "1"))) {
            assertThatThrownBy(server::start)
                    .isInstanceOf(TestServerException.class)
                    .hasMessageContaining("ended by itself")
                    .hasMessageContaining(server.log().toString())
                    .hasMessageContaining("no_such_option");
        }
    }

    @Test
    void port_of_a_foreign_server_is_not_mistaken_for_the_own() {
        try (DatabaseServer foreign = new PostgresServer(settings("foreign"))) {
            foreign.start();
            int port = Integer.parseInt(foreign.database().jdbcUrl().replaceAll(".*:(\\d+)/.*", "$1"));
            try (DatabaseServer own = new PostgresServer(settings("own").withPort(port))) {
                assertThatThrownBy(own::start)
                        .isInstanceOf(TestServerException.class)
                        .hasMessageContaining("Address already in use");
            }
        }
    }

    private static ServerSettings settings(String label) {
        return ServerSettings.in(TestServers.newServerDirectory(label));
    }

    private static void execute(DatabaseServer server, String... statements) throws SQLException {
        try (Connection connection = server.database().connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static int number(DatabaseServer server, String sql) throws SQLException {
        return Integer.parseInt(text(server, sql));
    }

    private static String text(DatabaseServer server, String sql) throws SQLException {
        try (Connection connection = server.database().connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }
}
