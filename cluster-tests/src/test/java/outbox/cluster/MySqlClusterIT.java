package outbox.cluster;

import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

class MySqlClusterIT extends ClusterSuite {

    @Override
    TestDatabase server() {
        return TestServers.mysql();
    }

    @Override
    String dialect() {
        return "mysql";
    }
}
