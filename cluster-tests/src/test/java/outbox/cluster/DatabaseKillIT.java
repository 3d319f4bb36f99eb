package outbox.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.testservers.DatabaseServer;
import outbox.testservers.MariaDbServer;
import outbox.testservers.MySqlServer;
import outbox.testservers.PostgresServer;
import outbox.testservers.ServerSettings;
import outbox.testservers.TestServers;

import static org.assertj.core.api.Assertions.assertThat;

/** The database itself is killed under load, and comes back on the same data. */
@Timeout(600)
class DatabaseKillIT {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final Form form = Form.ofThisRun();

    @TempDir
    private Path directory;

    @Test
    void postgresql() throws Exception {
        killUnderLoad("postgresql", new PostgresServer(settings()));
    }

    @Test
    void mysql() throws Exception {
        killUnderLoad("mysql", new MySqlServer(settings()));
    }

    @Test
    void mariadb() throws Exception {
        killUnderLoad("mariadb", new MariaDbServer(settings()));
    }

    private static ServerSettings settings() {
        return ServerSettings.in(TestServers.newServerDirectory("killed")).withDurability();
    }

    /** Deliveries may be repeated: while the database is away no lease can be renewed. */
    private void killUnderLoad(String dialect, DatabaseServer server) throws Exception {
        try (server) {
            server.start();
            try (Cluster cluster = new Cluster(server.database().fresh("outbox_cluster"), dialect, directory, LEASE)) {
                List<NodeProcess> nodes = cluster.startNodes(2);
                for (NodeProcess node : nodes) {
                    node.order("write " + form.eventsPerNode + " 1");
                }
                cluster.awaitCommitted(form.eventsPerNode / 2);
                server.kill();
                server.start();
                for (NodeProcess node : nodes) {
                    node.await("written");
                }
                cluster.awaitNothingPending();

                Cluster.History history = cluster.history();
                System.out.println("CLUSTER " + dialect + ", database killed: " + history);
                assertThat(history.committed()).isGreaterThanOrEqualTo(2 * form.eventsPerNode);
                assertThat(history.lost()).isZero();
                assertThat(history.invented()).isZero();
            }
        }
    }
}
