package outbox.proof.cluster;

import outbox.proof.database.DatabaseKind;

class PostgresKillIT extends DatabaseKillSuite {

    @Override
    DatabaseKind kind() {
        return DatabaseKind.POSTGRESQL;
    }
}
