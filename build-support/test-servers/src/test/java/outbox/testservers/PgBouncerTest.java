package outbox.testservers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import outbox.testservers.keeper.RunDirectory;
import outbox.testservers.keeper.RunSweeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class PgBouncerTest {

    private final TestDatabase server = TestServers.postgresql();

    @Test
    void clients_share_a_session_from_transaction_to_transaction() throws SQLException {
        Set<String> sessions = new HashSet<>();
        try (PgBouncer proxy = new PgBouncer(TestServers.newServerDirectory("proxy"), server, 1)) {
            proxy.start();
            proxy.start();
            try (Connection one = proxy.through(server).connect();
                    Connection other = proxy.through(server).connect()) {
                sessions.add(session(one));
                sessions.add(session(other));
            }
            assertThat(sessions).hasSize(1);
            proxy.close();
            assertThatThrownBy(() -> proxy.through(server).connect()).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void proxy_that_a_test_left_is_ended_with_the_run() throws Exception {
        Process owner = Processes.startIdle();
        try {
            RunDirectory run = RunDirectory.of(owner.pid());
            new PgBouncer(run.newServerDirectory("left"), server, 1).start();
            assertThat(Processes.mentioning(run.servers() + "/")).hasSize(1);

            new RunSweeper(run).sweep();

            assertThat(Processes.mentioning(run.servers() + "/")).isEmpty();
        } finally {
            owner.destroyForcibly();
        }
    }

    private static String session(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT pg_backend_pid()")) {
            result.next();
            return result.getString(1);
        }
    }
}
