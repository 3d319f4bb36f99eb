package outbox.proof;

class MySqlLostAnswerIT extends LostAnswerSuite {

    @Override
    SpoiltDatabase database() {
        return SpoiltDatabase.MYSQL;
    }
}
