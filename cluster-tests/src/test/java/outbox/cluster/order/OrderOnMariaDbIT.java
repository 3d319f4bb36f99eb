package outbox.cluster.order;

import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

class OrderOnMariaDbIT extends ServerOrderSuite {

    @Override
    TestDatabase server() {
        return TestServers.mariadb();
    }

    @Override
    String dialect() {
        return "mariadb";
    }
}
