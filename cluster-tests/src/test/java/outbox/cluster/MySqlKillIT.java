package outbox.cluster;

import outbox.testservers.DatabaseServer;
import outbox.testservers.MySqlServer;
import outbox.testservers.ServerSettings;

class MySqlKillIT extends DatabaseKillSuite {

    @Override
    DatabaseServer newServer(ServerSettings settings) {
        return new MySqlServer(settings);
    }

    @Override
    String dialect() {
        return "mysql";
    }
}
