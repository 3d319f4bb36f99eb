package outbox.proof;

import outbox.proof.database.DatabaseKind;

class PostgresSilentNetworkIT extends SilentNetworkSuite {

    @Override
    DatabaseKind database() {
        return DatabaseKind.POSTGRESQL;
    }
}
