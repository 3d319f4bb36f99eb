package outbox.proof.cluster;

import outbox.proof.database.DatabaseKind;

class PostgresClusterIT extends ClusterSuite {

    @Override
    DatabaseKind kind() {
        return DatabaseKind.POSTGRESQL;
    }
}
