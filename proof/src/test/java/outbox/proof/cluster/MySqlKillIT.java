package outbox.proof.cluster;

import outbox.proof.database.DatabaseKind;

class MySqlKillIT extends DatabaseKillSuite {

    @Override
    DatabaseKind kind() {
        return DatabaseKind.MYSQL;
    }
}
