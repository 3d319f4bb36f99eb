package outbox.cluster;

import outbox.testservers.DatabaseServer;
import outbox.testservers.MariaDbServer;
import outbox.testservers.ServerSettings;

class MariaDbKillIT extends DatabaseKillSuite {

    @Override
    DatabaseServer newServer(ServerSettings settings) {
        return new MariaDbServer(settings);
    }

    @Override
    String dialect() {
        return "mariadb";
    }
}
