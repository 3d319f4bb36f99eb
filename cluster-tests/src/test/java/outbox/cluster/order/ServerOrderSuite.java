package outbox.cluster.order;

import outbox.testservers.TestDatabase;

/** On a server that all nodes share. */
abstract class ServerOrderSuite extends OrderSuite {

    private TestDatabase database;

    abstract TestDatabase server();

    @Override
    OrderSettings database(long seed) {
        database = server().fresh("outbox_order");
        return new OrderSettings(database.jdbcUrl(), database.user(), database.password(), directory, LEASE, seed, 0);
    }

    @Override
    void dropDatabase() {
        server().dropDatabase(database.name());
    }
}
