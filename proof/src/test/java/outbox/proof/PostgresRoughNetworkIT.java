package outbox.proof;

import outbox.proof.database.DatabaseKind;

class PostgresRoughNetworkIT extends RoughNetworkSuite {

    @Override
    DatabaseKind database() {
        return DatabaseKind.POSTGRESQL;
    }
}
