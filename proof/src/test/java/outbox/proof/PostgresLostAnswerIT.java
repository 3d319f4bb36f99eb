package outbox.proof;

import outbox.proof.database.DatabaseKind;

class PostgresLostAnswerIT extends LostAnswerSuite {

    @Override
    DatabaseKind database() {
        return DatabaseKind.POSTGRESQL;
    }
}
