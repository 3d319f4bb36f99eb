package outbox.cluster;

import outbox.testservers.DatabaseServer;
import outbox.testservers.PostgresServer;
import outbox.testservers.ServerSettings;

class PostgresKillIT extends DatabaseKillSuite {

    @Override
    DatabaseServer newServer(ServerSettings settings) {
        return new PostgresServer(settings);
    }

    @Override
    String dialect() {
        return "postgresql";
    }
}
