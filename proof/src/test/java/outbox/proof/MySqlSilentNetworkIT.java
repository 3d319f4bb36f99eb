package outbox.proof;

import outbox.proof.database.DatabaseKind;

class MySqlSilentNetworkIT extends SilentNetworkSuite {

    @Override
    DatabaseKind database() {
        return DatabaseKind.MYSQL;
    }
}
