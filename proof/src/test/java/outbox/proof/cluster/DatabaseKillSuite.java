package outbox.proof.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.proof.database.DatabaseKind;
import outbox.proof.history.Violation;
import outbox.testservers.DatabaseServer;
import outbox.testservers.ServerSettings;
import outbox.testservers.TestServers;

import static org.assertj.core.api.Assertions.assertThat;

/** The database itself is killed under load, and comes back on the same data. */
@Timeout(600)
abstract class DatabaseKillSuite {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final Form form = Form.ofThisRun();

    @TempDir
    private Path directory;

    abstract DatabaseKind kind();

    /** Deliveries may be repeated: while the database is away no lease can be renewed. */
    @Test
    void a_database_that_is_killed_and_comes_back_loses_and_invents_nothing() throws Exception {
        ServerSettings settings =
                ServerSettings.in(TestServers.newServerDirectory("killed")).withDurability();
        try (DatabaseServer server = kind().server(settings)) {
            server.start();
            try (Cluster cluster = new Cluster(server.database().fresh("outbox_cluster"), kind(), directory, LEASE)) {
                killUnderLoad(server, cluster);

                Cluster.Judged judged = cluster.judge();
                System.out.println("CLUSTER " + kind().label() + ", database killed: " + judged.committed()
                        + " committed, violations: " + judged.verdict().summary());
                assertThat(judged.committed()).isGreaterThanOrEqualTo(2 * form.eventsPerNode);
                assertThat(judged.verdict().violations())
                        .as("beside repetitions")
                        .filteredOn(violation -> violation.kind() != Violation.Kind.REPEATED)
                        .isEmpty();
            }
        }
    }

    private void killUnderLoad(DatabaseServer server, Cluster cluster) throws Exception {
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
    }
}
