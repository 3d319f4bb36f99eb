package outbox.proof;

import outbox.proof.database.DatabaseKind;

class MariaDbLostAnswerIT extends LostAnswerSuite {

    @Override
    DatabaseKind database() {
        return DatabaseKind.MARIADB;
    }
}
