package outbox.proof;

import outbox.proof.database.DatabaseKind;

class MariaDbSilentNetworkIT extends SilentNetworkSuite {

    @Override
    DatabaseKind database() {
        return DatabaseKind.MARIADB;
    }
}
