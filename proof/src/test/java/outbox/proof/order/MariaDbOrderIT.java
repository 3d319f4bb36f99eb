package outbox.proof.order;

import outbox.proof.database.DatabaseKind;

class MariaDbOrderIT extends OrderSuite {

    @Override
    DatabaseKind kind() {
        return DatabaseKind.MARIADB;
    }
}
