package outbox.cluster;

import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

class MariaDbClusterIT extends ClusterSuite {

    @Override
    TestDatabase server() {
        return TestServers.mariadb();
    }

    @Override
    String dialect() {
        return "mariadb";
    }
}
