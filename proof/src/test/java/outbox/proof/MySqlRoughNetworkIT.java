package outbox.proof;

import outbox.proof.database.DatabaseKind;

class MySqlRoughNetworkIT extends RoughNetworkSuite {

    @Override
    DatabaseKind database() {
        return DatabaseKind.MYSQL;
    }
}
