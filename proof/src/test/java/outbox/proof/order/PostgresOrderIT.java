package outbox.proof.order;

import outbox.proof.database.DatabaseKind;

class PostgresOrderIT extends OrderSuite {

    @Override
    DatabaseKind kind() {
        return DatabaseKind.POSTGRESQL;
    }
}
