package outbox.inbox.it;

class PostgresIT extends DatabaseSuites {

    @Override
    TestedDatabase database() {
        return TestedDatabase.POSTGRESQL;
    }
}
