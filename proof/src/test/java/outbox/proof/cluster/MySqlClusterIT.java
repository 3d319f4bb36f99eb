package outbox.proof.cluster;

import outbox.proof.database.DatabaseKind;

class MySqlClusterIT extends ClusterSuite {

    @Override
    DatabaseKind kind() {
        return DatabaseKind.MYSQL;
    }
}
