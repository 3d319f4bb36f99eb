package outbox.inbox.it;

class MySqlIT extends DatabaseSuites {

    @Override
    TestedDatabase database() {
        return TestedDatabase.MYSQL;
    }
}
