package outbox.proof;

import outbox.proof.database.DatabaseKind;

class MySqlLostAnswerIT extends LostAnswerSuite {

    @Override
    DatabaseKind database() {
        return DatabaseKind.MYSQL;
    }
}
