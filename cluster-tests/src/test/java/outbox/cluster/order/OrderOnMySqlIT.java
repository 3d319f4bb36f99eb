package outbox.cluster.order;

import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

class OrderOnMySqlIT extends ServerOrderSuite {

    @Override
    TestDatabase server() {
        return TestServers.mysql();
    }

    @Override
    String dialect() {
        return "mysql";
    }
}
