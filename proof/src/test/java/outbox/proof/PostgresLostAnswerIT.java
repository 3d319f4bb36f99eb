package outbox.proof;

class PostgresLostAnswerIT extends LostAnswerSuite {

    @Override
    SpoiltDatabase database() {
        return SpoiltDatabase.POSTGRESQL;
    }
}
