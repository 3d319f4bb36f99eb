package outbox.proof.cluster;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.proof.database.DatabaseKind;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

/** Three processes that write, of which one delivers, until the server ends the session that makes it the one. */
@Timeout(600)
class PostgresSingleActiveIT {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final TestDatabase server = TestServers.postgresql();

    @TempDir
    private Path directory;

    @Test
    void one_node_is_active_at_any_time_however_often_it_loses_its_lock() throws Exception {
        TestDatabase database = server.fresh("outbox_single");
        try (Cluster cluster = new Cluster(database, DatabaseKind.POSTGRESQL, directory, LEASE)) {
            new FailOvers(cluster, cluster.startNodes(3, ClusterNodeSettings::asSingleActive))
                    .run(Form.ofThisRun().failOvers, "postgresql");
        } finally {
            server.dropDatabase(database.name());
        }
    }
}
