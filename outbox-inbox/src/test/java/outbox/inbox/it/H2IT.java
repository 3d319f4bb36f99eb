package outbox.inbox.it;

class H2IT extends DatabaseSuites {

    @Override
    TestedDatabase database() {
        return TestedDatabase.H2;
    }
}
