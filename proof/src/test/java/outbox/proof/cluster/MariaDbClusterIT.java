package outbox.proof.cluster;

import outbox.proof.database.DatabaseKind;

class MariaDbClusterIT extends ClusterSuite {

    @Override
    DatabaseKind kind() {
        return DatabaseKind.MARIADB;
    }
}
