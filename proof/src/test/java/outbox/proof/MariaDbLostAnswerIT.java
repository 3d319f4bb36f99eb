package outbox.proof;

class MariaDbLostAnswerIT extends LostAnswerSuite {

    @Override
    SpoiltDatabase database() {
        return SpoiltDatabase.MARIADB;
    }
}
