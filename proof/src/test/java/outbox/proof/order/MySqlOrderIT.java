package outbox.proof.order;

import outbox.proof.database.DatabaseKind;

class MySqlOrderIT extends OrderSuite {

    @Override
    DatabaseKind kind() {
        return DatabaseKind.MYSQL;
    }
}
