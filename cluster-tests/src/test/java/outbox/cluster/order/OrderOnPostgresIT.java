package outbox.cluster.order;

import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

class OrderOnPostgresIT extends ServerOrderSuite {

    @Override
    TestDatabase server() {
        return TestServers.postgresql();
    }

    @Override
    String dialect() {
        return "postgresql";
    }
}
