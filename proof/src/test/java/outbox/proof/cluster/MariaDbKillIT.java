package outbox.proof.cluster;

import outbox.proof.database.DatabaseKind;

class MariaDbKillIT extends DatabaseKillSuite {

    @Override
    DatabaseKind kind() {
        return DatabaseKind.MARIADB;
    }
}
