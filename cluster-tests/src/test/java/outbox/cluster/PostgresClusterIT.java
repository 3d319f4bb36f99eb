package outbox.cluster;

import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

class PostgresClusterIT extends ClusterSuite {

    @Override
    TestDatabase server() {
        return TestServers.postgresql();
    }

    @Override
    String dialect() {
        return "postgresql";
    }
}
