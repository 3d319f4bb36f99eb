package outbox.inbox.it;

class MariaDbIT extends DatabaseSuites {

    @Override
    TestedDatabase database() {
        return TestedDatabase.MARIADB;
    }
}
