package outbox.proof;

import outbox.proof.database.DatabaseKind;

class MariaDbRoughNetworkIT extends RoughNetworkSuite {

    @Override
    DatabaseKind database() {
        return DatabaseKind.MARIADB;
    }
}
